//! Reads regular files only: a pipe may block, a device may have no end, and a link may lead
//! anywhere.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file, or a link to one.
///
/// # Errors
/// If the system cannot open the file, or it is not a regular file: reading a pipe may block, and a
/// device may have no end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Opening a pipe blocks, so the kind of file is checked first.
    must_be_regular(fs::metadata(path)?.file_type())?;
    let file = File::open(path)?;
    must_be_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a regular file that is not a link and has at most `limit` bytes.
///
/// # Errors
/// Same as for [`open_regular`]; also if the file is a link, or larger.
pub(super) fn read_unlinked(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    must_be_regular(fs::symlink_metadata(path)?.file_type())?;
    let file = open_regular(path)?;
    let too_large = |bytes: u64| {
        io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has {bytes} bytes, and {limit} are the most"),
        )
    };
    let length = file.metadata()?.len();
    if length > limit {
        return Err(too_large(length));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    if read > limit {
        Err(too_large(read))
    } else {
        Ok(bytes)
    }
}

fn must_be_regular(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let what = kind_name(kind);
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("it is {what}, and a regular file is needed"),
    ))
}

/// The kind of a file that is not a regular one, for messages.
pub(super) fn kind_name(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        "a link"
    } else {
        "no file"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "12345").unwrap();
        let link = folder.path().join("link");
        symlink(&file, &link).unwrap();
        let endless = folder.path().join("endless");
        symlink("/dev/zero", &endless).unwrap();
        let pipe = folder.path().join("pipe");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );

        let cause = |path: &Path| open_regular(path).unwrap_err().to_string();
        assert!(open_regular(&file).is_ok() && open_regular(&link).is_ok());
        assert_eq!(
            cause(&endless),
            "it is a device, and a regular file is needed"
        );
        assert_eq!(cause(&pipe), "it is a pipe, and a regular file is needed");
        assert_eq!(
            cause(folder.path()),
            "it is a folder, and a regular file is needed"
        );
        let cause = |path: &Path| read_unlinked(path, 100).unwrap_err().to_string();
        assert_eq!(read_unlinked(&file, 5).unwrap(), b"12345");
        assert_eq!(
            read_unlinked(&file, 4).unwrap_err().to_string(),
            "it has 5 bytes, and 4 are the most"
        );
        assert!(cause(&link).contains("a link") && cause(&endless).contains("a link"));
        assert!(cause(&pipe).contains("a pipe"));
    }
}
