//! The client that an adapter builds once.

use std::fmt;

use reqwest::{IntoUrl, Method, header::HeaderName};

use super::{IdempotencyKey, Request};
use crate::retry::{Answer, Answered, Declaration, Declared, Known, ProviderPolicy, Settings, answered_declaration};

/// A client whose requests are tried again by a named policy. Cheap to clone, as the client inside is.
///
/// See the [module](crate::http) for what is retried.
#[derive(Clone)]
pub struct Client {
    base: reqwest::Client,
    declarations: &'static Declarations,
    key_header: HeaderName,
}

/// One for each method, so that what is counted has constant labels.
struct Declarations {
    get: &'static Declaration,
    head: &'static Declaration,
    options: &'static Declaration,
    put: &'static Declaration,
    delete: &'static Declaration,
    post: &'static Declaration,
    patch: &'static Declaration,
}

macro_rules! methods {
    ($($name:ident = $text:literal),*) => {
        $(
            enum $name {}
            impl Declared for $name {
                const KNOWN: Known =
                    Known { name: $text, settings: Settings { answer: Answer::Idempotent, ..Settings::NONE } };
            }
            impl Answered for $name {}
        )*
    };
}

methods!(
    Get = "http.get",
    Head = "http.head",
    Options = "http.options",
    Put = "http.put",
    Delete = "http.delete",
    Post = "http.post",
    Patch = "http.patch"
);

/// The declarations of one policy.
trait Declares {
    const ALL: &'static Declarations;
}

impl<P: ProviderPolicy> Declares for P {
    const ALL: &'static Declarations = &Declarations {
        get: answered_declaration::<P, Get>(),
        head: answered_declaration::<P, Head>(),
        options: answered_declaration::<P, Options>(),
        put: answered_declaration::<P, Put>(),
        delete: answered_declaration::<P, Delete>(),
        post: answered_declaration::<P, Post>(),
        patch: answered_declaration::<P, Patch>(),
    };
}

impl Client {
    /// A client that retries by the policy `P`, for example `Client::new::<retry::provider>(reqwest::Client::new())`.
    ///
    /// One that retries contention does not fit: only a database rolls back.
    #[must_use]
    pub fn new<P: ProviderPolicy>(base: reqwest::Client) -> Self {
        Self { base, declarations: P::ALL, key_header: HeaderName::from_static("idempotency-key") }
    }

    /// Sends keys under another name than `Idempotency-Key`, for providers that have their own.
    ///
    /// ```
    /// # mod retry {
    /// #     steadfast::policies! { pub policy provider = capped(base = "1s", cap = "2s", retries = 3).on(rate_limited); }
    /// # }
    /// # fn main() {
    /// use steadfast::http::Client;
    ///
    /// let name = reqwest::header::HeaderName::from_static("paypal-request-id");
    /// let http = Client::new::<retry::provider>(reqwest::Client::new()).key_header(name);
    /// # let _ = http;
    /// # }
    /// ```
    #[must_use]
    pub fn key_header(self, name: HeaderName) -> Self {
        Self { key_header: name, ..self }
    }

    /// The client inside: for what must not be sent twice.
    #[must_use]
    pub fn base(&self) -> &reqwest::Client {
        &self.base
    }

    /// A GET request.
    pub fn get(&self, url: impl IntoUrl) -> Request {
        self.request(Method::GET, self.declarations.get, url)
    }

    /// A HEAD request.
    pub fn head(&self, url: impl IntoUrl) -> Request {
        self.request(Method::HEAD, self.declarations.head, url)
    }

    /// An OPTIONS request.
    pub fn options(&self, url: impl IntoUrl) -> Request {
        self.request(Method::OPTIONS, self.declarations.options, url)
    }

    /// A PUT request: it sets a state, so it means the same when it is sent twice.
    pub fn put(&self, url: impl IntoUrl) -> Request {
        self.request(Method::PUT, self.declarations.put, url)
    }

    /// A DELETE request. A repeat may find nothing left: the 404 of a second attempt can mean that the first one was done.
    pub fn delete(&self, url: impl IntoUrl) -> Request {
        self.request(Method::DELETE, self.declarations.delete, url)
    }

    /// A POST request, under a key by which the server knows a repeat.
    pub fn post(&self, url: impl IntoUrl, key: &IdempotencyKey) -> Request {
        self.request(Method::POST, self.declarations.post, url).under(&self.key_header, key)
    }

    /// A PATCH request, under a key by which the server knows a repeat.
    pub fn patch(&self, url: impl IntoUrl, key: &IdempotencyKey) -> Request {
        self.request(Method::PATCH, self.declarations.patch, url).under(&self.key_header, key)
    }

    fn request(&self, method: Method, declaration: &'static Declaration, url: impl IntoUrl) -> Request {
        Request::new(self.base.clone(), declaration, method, url)
    }
}

/// By hand: reqwest's own prints default headers, and with them a token.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("policy", &self.declarations.get.policy.name()).finish_non_exhaustive()
    }
}
