//! A struct whose fields can be told apart by their types.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, Field, GenericArgument, Generics, Ident, Item, Member, PathArguments, Type, TypeParamBound,
    TypeTraitObject,
};

use crate::error::{Errors, bail, err};
use crate::types;

pub(crate) struct App {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) provided: Vec<Provided>,
}

/// One impl.
pub(crate) struct Provided {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) field: Member,
    /// What it is, as a type argument and behind `&`.
    pub(crate) ty: TokenStream,
    /// Whether the field only points to it, as `Arc<dyn Mailer>` does.
    pub(crate) pointed_to: bool,
    /// The field's type, for its span.
    pub(crate) written: Type,
}

impl Provided {
    /// What it is, as the user would write it.
    fn shown(&self) -> String {
        let text = types::shown(&self.ty);
        if self.pointed_to { text.trim_matches(['(', ')']).replace(" + 'static", "") } else { text }
    }
}

impl App {
    pub(crate) fn new(item: Item, errors: &mut Errors) -> Option<Self> {
        let item = match item {
            Item::Struct(item) => item,
            Item::Enum(item) => return errors.take(Err(structs_only(&item.ident))),
            Item::Union(item) => return errors.take(Err(structs_only(&item.ident))),
            other => return errors.take(Err(structs_only(&other))),
        };
        let mut provided = Vec::new();
        for (field, member) in item.fields.iter().zip(item.fields.members()) {
            if !errors.take(is_skipped(field)).unwrap_or(true) {
                provided.extend(of_field(field, &member));
            }
        }
        let provided = distinct(provided, errors);
        Some(Self { ident: item.ident, generics: item.generics, provided })
    }
}

fn structs_only(item: &impl ToTokens) -> syn::Error {
    err!(item, "`Provide` is derived for a struct, whose fields a job can ask for; make this one a struct")
}

/// `#[provide(skip)]`, the one word there is.
fn is_skipped(field: &Field) -> syn::Result<bool> {
    let mut skipped = false;
    for attr in field.attrs.iter().filter(|attr| attr.path().is_ident("provide")) {
        match attr.parse_args::<Ident>() {
            Ok(word) if word == "skip" => skipped = true,
            _ => bail!(attr, "`#[provide(…)]` has one word; write `#[provide(skip)]`, or remove it"),
        }
    }
    Ok(skipped)
}

/// The field's type, and for a pointer to a trait object the object too: a job asks for `&dyn Mailer`.
fn of_field(field: &Field, member: &Member) -> Vec<Provided> {
    let cfgs: Vec<Attribute> = field.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect();
    let one = |ty: TokenStream, pointed_to| Provided {
        cfgs: cfgs.clone(),
        field: member.clone(),
        ty,
        pointed_to,
        written: field.ty.clone(),
    };
    let mut provided = vec![one(field.ty.to_token_stream(), false)];
    provided.extend(object(&field.ty).map(|object| one(object, true)));
    provided
}

/// `(dyn Mailer + 'static)` of `Arc<dyn Mailer>` and `Box<dyn Mailer>`: within a reference the bound has to be written.
fn object(ty: &Type) -> Option<TokenStream> {
    let Type::Path(path) = types::peel(ty) else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let (Some(GenericArgument::Type(inner)), 1) = (arguments.args.first(), arguments.args.len()) else { return None };
    let Type::TraitObject(TypeTraitObject { bounds, .. }) = types::peel(inner) else { return None };
    if last.ident != "Arc" && last.ident != "Box" {
        return None;
    }
    let bounded = bounds.iter().any(|bound| matches!(bound, TypeParamBound::Lifetime(_)));
    let lifetime = (!bounded).then(|| quote!(+ 'static));
    Some(quote!((dyn #bounds #lifetime)))
}

fn distinct(provided: Vec<Provided>, errors: &mut Errors) -> Vec<Provided> {
    let mut seen: HashMap<String, bool> = HashMap::new();
    let mut kept = Vec::new();
    for one in provided {
        // Two fields of one type may exclude each other by their conditions; only rustc knows.
        let conditional = !one.cfgs.is_empty();
        match seen.get(&one.ty.to_string()) {
            Some(known) if !(conditional && *known) => errors.push(err!(
                &one.written,
                "two fields provide `{}`, so a job could not say which it means; give one a type of its own, or mark it \
                 `#[provide(skip)]`",
                one.shown()
            )),
            _ => {
                seen.insert(one.ty.to_string(), conditional);
                kept.push(one);
            }
        }
    }
    kept
}
