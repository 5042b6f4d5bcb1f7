//! What the proxy sends to its client: the bytes of a server, or a response of its own.

use super::saved::EMPTY_PAGE;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};

/// Copies until the end, and adds the number of bytes to `count`.
pub(super) fn copy(from: &mut impl Read, to: &mut impl Write, count: Option<&AtomicU64>) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let length = match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(&buffer[..length])?;
        if let Some(count) = count {
            count.fetch_add(length as u64, Ordering::Relaxed);
        }
    }
}

/// Responds with an empty page. Without a page, the browser would show its own, with text.
pub(super) fn refuse(mut client: &TcpStream, status: &str) -> io::Result<()> {
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{EMPTY_PAGE}",
        EMPTY_PAGE.len(),
    )
}

/// Asks for the password.
pub(super) fn challenge(mut client: &TcpStream) -> io::Result<()> {
    client.write_all(
        b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"vclean\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    )
}
