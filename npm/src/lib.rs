//! The WebAssembly module of the npm package: pages in, JSON out.
//!
//! It has no access to files, the network or a clock. A caller
//! allocates a buffer with [`room`], writes the request (JSON) and then the bytes of the page to
//! it, calls [`clean`], and reads the answer (JSON, UTF-8) at [`answer_start`]. Only `index.js`
//! does this.

mod answer;
mod counter;
mod doubts;
#[cfg(test)]
mod types;

use answer::answer;
use std::cell::RefCell;

/// Largest input buffer, in bytes, that is kept between two pages. A larger one is freed, so that
/// the tree and tables of the next page can use its memory.
const KEPT_BYTES: usize = 1 << 20;

/// The memory through which the caller and the module exchange data.
#[derive(Default)]
struct Buffers {
    given: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Allocates `length` bytes for a request and a page; returns the address of the first.
#[allow(unsafe_code)] // The name alone: nothing is read or written by address here.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| {
        buffers.given.clear();
        buffers.given.resize(length, 0);
        buffers.given.as_mut_ptr()
    })
}

/// Cleans the page that was written after a request of `request_length` bytes. Returns 1 if the
/// answer is a cleaned page, 0 if it is an error.
#[allow(unsafe_code)] // As above.
#[unsafe(no_mangle)]
pub extern "C" fn clean(request_length: usize) -> u32 {
    let mut given = BUFFERS.with_borrow_mut(|buffers| std::mem::take(&mut buffers.given));
    let (request, page) = given.split_at(request_length.min(given.len()));
    let result = answer(request, page);
    given.clear();
    given.shrink_to(KEPT_BYTES);
    let is_cleaned = result.is_ok();
    BUFFERS.with_borrow_mut(|buffers| {
        buffers.given = given;
        buffers.answer = result.unwrap_or_else(|error| error).into_bytes();
    });
    u32::from(is_cleaned)
}

/// Address of the answer.
#[allow(unsafe_code)] // As above.
#[unsafe(no_mangle)]
pub extern "C" fn answer_start() -> *const u8 {
    BUFFERS.with_borrow(|buffers| buffers.answer.as_ptr())
}

/// Bytes of the answer.
#[allow(unsafe_code)] // As above.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    BUFFERS.with_borrow(|buffers| buffers.answer.len())
}
