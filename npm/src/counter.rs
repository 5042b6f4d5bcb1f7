//! The size of a text as the caller counts it, such as in tokens of a language model.

#[cfg(target_arch = "wasm32")]
#[link(wasm_import_module = "caller")]
#[allow(unsafe_code)] // The declaration alone.
unsafe extern "C" {
    fn count(text: *const u8, length: usize) -> u32;
}

/// Asks the caller for the size of a text.
#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)] // The caller reads the text while the call lasts, and keeps no address.
pub(crate) fn counted_by_caller(text: &str) -> usize {
    unsafe { count(text.as_ptr(), text.len()) as usize }
}

/// Counts words: callers exist only in WebAssembly.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn counted_by_caller(text: &str) -> usize {
    vclean_core::emit::chunk_words(text)
}
