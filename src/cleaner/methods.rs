//! All methods by name: ours first, then the published ones.

use super::model_cleaner::OURS;
use crate::method::{METHODS, Method};

/// All methods, ours first.
pub fn methods() -> impl Iterator<Item = &'static Method> + Clone {
    std::iter::once(&OURS).chain(METHODS)
}

/// The method of that name.
pub fn find_method(name: &str) -> Option<&'static Method> {
    methods().find(|method| method.name == name)
}
