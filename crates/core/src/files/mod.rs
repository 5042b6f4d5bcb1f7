//! The only room of the core that touches files: captures, models and pages on disk, files written whole, and reading of
//! regular files.
//!
//! A build without the feature `files` has a replacement (`placeholder`), so that other rooms need not know.

mod capture_folder;
mod model_file;
mod page_file;
mod regular;
mod writing;

pub use capture_folder::{is_capture, list_captures, load_capture, load_record, save_capture};
pub use model_file::read_model;
pub use page_file::{read_page, read_page_stream};
pub use regular::open_regular;
pub use writing::{
    FileError, FileId, begin, finish, folder_of, identity, make_folder, remove_incomplete, write_new, write_whole,
};
