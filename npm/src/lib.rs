//! The WebAssembly module of the npm package: pages in, JSON out.
//!
//! It gets nothing from outside, so that it can reach neither files nor the network nor a clock. A
//! caller asks for room by [`room`], writes there the request (JSON) and the bytes of the page one
//! after the other, calls [`clean`], and reads the answer (JSON, UTF-8) at [`answer_start`].
//! `index.js` does that; nobody else needs to know.

mod answer;

use answer::answer;
use std::cell::RefCell;

/// Most that is kept between two pages; after a larger page the memory goes to the next one's tree
/// and tables.
const KEPT_BYTES: usize = 1 << 20;

/// What the caller writes and reads.
#[derive(Default)]
struct Buffers {
    given: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Makes room for a request and a page of `length` bytes together; returns where it begins.
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

/// Where the answer begins.
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
