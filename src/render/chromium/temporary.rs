//! The place for temporary files, which the browser's user must be able to enter.

use crate::error::RenderError;
use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The folder of the browser cannot be made in the place for temporary files.
pub(super) fn unusable(error: &std::io::Error) -> RenderError {
    RenderError::Browser(format!(
        "cannot make a folder for the browser in {}: {error}; set TMPDIR to a folder that can be written",
        env::temp_dir().display()
    ))
}

/// Checks that other users may enter the folder `temporary`: a browser that is not the program's own user has its files
/// there, and would end without a word.
///
/// # Errors
/// [`RenderError::Browser`], with the folder on the way that is closed.
pub(super) fn check_enterable(temporary: &Path) -> Result<(), RenderError> {
    let real = temporary.canonicalize().map_err(|error| unusable(&error))?;
    let is_closed = |folder: &&Path| folder.metadata().is_ok_and(|facts| facts.permissions().mode() & 0o001 == 0);
    match real.ancestors().filter(is_closed).last() {
        None => Ok(()),
        Some(closed) => Err(RenderError::Browser(format!(
            "the browser runs as another user, who may not enter {}; set TMPDIR to a folder that all users may enter, \
             such as /tmp",
            closed.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir, set_permissions};

    #[test]
    fn a_place_that_others_cannot_enter_is_named_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let (closed, inner) = (folder.path().join("closed"), folder.path().join("closed/inner"));
        set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        create_dir(&closed).unwrap();
        create_dir(&inner).unwrap();
        for path in [&closed, &inner] {
            set_permissions(path, Permissions::from_mode(0o755)).unwrap();
        }
        check_enterable(&inner).unwrap();
        set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
        let error = check_enterable(&inner).unwrap_err().to_string();
        assert!(error.contains("/closed;") && error.contains("set TMPDIR"), "{error}");
        assert!(check_enterable(&inner.join("none")).unwrap_err().to_string().contains("can be written"));
    }
}
