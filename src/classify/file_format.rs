//! The version of the model file format.

/// Version of the file format that this library writes; it reads this one only.
pub const FORMAT_VERSION: u32 = 1;
