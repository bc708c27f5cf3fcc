//! Turns a compiled Worker into the module that workerd runs: `bindgen CRATE.wasm FOLDER` writes `index.js` and `index_bg.wasm`.
//!
//! As `worker-build` does it, which would fetch its tools from elsewhere.

use std::{env, ffi::OsString, fs, path::Path, process::ExitCode};

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let [input, folder] = &arguments[..] else {
        eprintln!("two arguments are needed; `bindgen CRATE.wasm FOLDER`");
        return ExitCode::FAILURE;
    };
    match generate(Path::new(input), Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn generate(input: &Path, folder: &Path) -> Result<(), String> {
    if !input.is_file() {
        return Err(format!(
            "there is no `{}`; build the crate first, with `--target wasm32-unknown-unknown`, as a `cdylib`",
            input.display()
        ));
    }
    Bindgen::new()
        .input_path(input)
        .out_name("index")
        .typescript(false)
        // A module that instantiates itself. What resets it after a panic is refused in the form for bundlers, whose import workerd wants.
        .module(true)
        .and_then(|bindgen| bindgen.reset_state_function(true).force_enable_abort_handler(true).generate(folder))
        .map_err(|error| format!("`{}` could not be bound: {error:#}", input.display()))?;
    let script = folder.join("index.js");
    let told = |error| format!("`{}`: {error}", script.display());
    let text = fs::read_to_string(&script).map_err(told)?;
    fs::write(&script, instantiable(&text)?).map_err(told)
}

/// workerd gives the compiled module for a plain import, and does not know the one by phase.
fn instantiable(script: &str) -> Result<String, String> {
    let (by_phase, plain) = ("import source wasmModule ", "import wasmModule ");
    if script.matches(by_phase).count() == 1 {
        Ok(script.replacen(by_phase, plain, 1))
    } else {
        Err(format!("`{by_phase}` is not there once; see what this version of wasm-bindgen-cli-support writes"))
    }
}
