//! Questions about a type by the way it is written: a macro sees no more.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type, TypeReference};

/// The names of pools, whose statements commit by themselves; those of sea-orm's connections, which hold one.
const POOLS: [&str; 11] = [
    "Pool",
    "SqlitePool",
    "PgPool",
    "MySqlPool",
    "AnyPool",
    "DatabaseConnection",
    "DbConn",
    "DatabaseExecutor",
    "DatabaseTransaction",
    // A unit on D1 is called with it.
    "D1Database",
    "D1DatabaseSession",
];
/// What a pool hides behind.
const WRAPPERS: [&str; 16] = [
    "Arc", "Rc", "Box", "Option", "Vec", "Cow", "Weak", "Cell", "RefCell", "Mutex", "RwLock", "OnceCell", "OnceLock",
    "LazyCell", "LazyLock", "Pin",
];

/// Types that are no `Result`.
const NO_RESULT: [&str; 19] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "bool", "char", "str",
    "f64", "String", "Option", "Vec",
];

/// The type without parentheses and the invisible groups of `macro_rules`.
pub(crate) fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => peel(&inner.elem),
        Type::Group(inner) => peel(&inner.elem),
        _ => ty,
    }
}

/// `Slot` of `steadfast::Slot`.
pub(crate) fn last_ident(ty: &Type) -> Option<&Ident> {
    match peel(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    last_ident(ty).is_some_and(|ident| ident == name)
}

/// A transaction among the arguments.
pub(crate) enum Transaction<'a> {
    /// `&mut Tx<'_>`, with the type behind `&mut`.
    Mutable(&'a Type),
    /// `Tx<'_>` or `&Tx<'_>`.
    Unusable,
    None,
}

pub(crate) fn transaction(ty: &Type) -> Transaction<'_> {
    match peel(ty) {
        Type::Reference(TypeReference { mutability, elem, .. }) if is_named(elem, "Tx") => match mutability {
            Some(_) => Transaction::Mutable(elem),
            None => Transaction::Unusable,
        },
        other if is_named(other, "Tx") => Transaction::Unusable,
        _ => Transaction::None,
    }
}

/// A pool or another connection than the transaction, also behind `&`, `Arc` and the like.
pub(crate) fn is_pool(ty: &Type) -> bool {
    match peel(ty) {
        Type::Reference(reference) => is_pool(&reference.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(is_pool),
        Type::Slice(slice) => is_pool(&slice.elem),
        Type::Array(array) => is_pool(&array.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            // `<Tx<'static> as Transactional>::Pool` is a unit's own parameter, written by `#[atomic_unit]`.
            (path.qself.is_none() && POOLS.iter().any(|pool| last.ident == pool))
                || (WRAPPERS.iter().any(|wrapper| last.ident == wrapper) && generics(&last.arguments).any(is_pool))
        }),
        _ => false,
    }
}

fn generics(arguments: &PathArguments) -> impl Iterator<Item = &Type> {
    let list = match arguments {
        PathArguments::AngleBracketed(list) => Some(&list.args),
        _ => None,
    };
    list.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The type with every lifetime `'static`: what can be said of it outside of the signature.
pub(crate) fn with_static(ty: &Type) -> TokenStream {
    let mut after_tick = false;
    let tokens = ty.to_token_stream().into_iter().map(|token| match token {
        TokenTree::Ident(name) if after_tick => {
            after_tick = false;
            Ident::new("static", name.span()).into()
        }
        token => {
            after_tick = matches!(&token, TokenTree::Punct(tick) if tick.as_char() == '\'');
            token
        }
    });
    tokens.collect()
}

/// The span of the last token: where rustc should point for a path, since a span cannot cover several tokens.
pub(crate) fn last_span(tokens: &impl ToTokens) -> Span {
    tokens.to_token_stream().into_iter().last().map_or_else(Span::call_site, |token| token.span())
}

/// Where a mistake about the error of a `Result` is told: at the error's type, where one is written.
pub(crate) fn error_span(result: &Type) -> Span {
    argument_span(result, arguments(result).skip(1).last())
}

/// Where a mistake about what a `Result` holds on success is told.
pub(crate) fn ok_span(result: &Type) -> Span {
    argument_span(result, arguments(result).next())
}

fn arguments(result: &Type) -> impl Iterator<Item = &Type> {
    let last = match peel(result) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    last.into_iter().flat_map(|last| generics(&last.arguments))
}

fn argument_span(result: &Type, argument: Option<&Type>) -> Span {
    let ty = argument.unwrap_or(result);
    argument.and_then(last_ident).map_or_else(|| ty.span(), Ident::span)
}

/// A type as a person writes it: tokens have spaces between all of them.
pub(crate) fn shown(ty: &impl ToTokens) -> String {
    let text = ty.to_token_stream().to_string();
    [(" :: ", "::"), (":: ", "::"), (" < ", "<"), (" >", ">"), (" ,", ","), ("& ", "&"), ("' ", "'")]
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to))
}

/// Whether a path may name a `Result`; aliases are left to the trait `IsResult`, which sees through them.
pub(crate) fn may_be_result(ty: &Type) -> bool {
    match peel(ty) {
        Type::Path(_) => last_ident(ty).is_none_or(|last| !NO_RESULT.iter().any(|name| last == name)),
        Type::Macro(_) | Type::Verbatim(_) => true,
        _ => false,
    }
}

/// The name of a trait that pools implement as well as transactions, if one of these tokens is one.
pub(crate) fn executor(tokens: TokenStream) -> Option<Ident> {
    const TRAITS: [&str; 8] = [
        "Acquire",
        "Executor",
        "SqliteExecutor",
        "PgExecutor",
        "MySqlExecutor",
        "ConnectionTrait",
        "TransactionTrait",
        "StreamTrait",
    ];
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(word) => TRAITS.iter().any(|name| word == name).then_some(word),
        TokenTree::Group(group) => executor(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}
