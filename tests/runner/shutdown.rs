//! The signals that end a process.

use std::{process::Command, time::Duration};

/// Both signals, one after the other: the handlers of this process stay installed, so neither ends it.
#[cfg(unix)]
#[tokio::test]
async fn sigterm_and_sigint_begin_the_shutdown() {
    for signal in ["-TERM", "-INT"] {
        let mut ended = std::pin::pin!(steadfast::shutdown_signal());
        // Polled once, so that the handlers are in place.
        assert_eq!(futures_util::FutureExt::now_or_never(ended.as_mut()), None, "no signal yet");
        let killed = Command::new("kill").args([signal, &std::process::id().to_string()]).status().unwrap();
        assert!(killed.success());
        tokio::time::timeout(Duration::from_secs(5), ended).await.expect("the signal was seen");
    }
}
