//! Serves a folder on a free loopback port and prints its address: for demonstrations without a web
//! server.
//!
//! ```text
//! cargo run --example serve -- fixtures/site
//! ```
//!
//! It serves one connection at a time, GET only, and nothing outside the folder. Do not expose it
//! to a network.
#![allow(clippy::print_stdout)]

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os()
        .nth(1)
        .map(PathBuf::from)
        .filter(|folder| folder.is_dir())
    else {
        eprintln!("serve: name a folder to serve");
        return ExitCode::FAILURE;
    };
    match serve(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("serve: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(folder: &Path) -> io::Result<()> {
    let root = folder.canonicalize()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("http://{}/", listener.local_addr()?);
    io::stdout().flush()?;
    for stream in listener.incoming() {
        // Broken connections are ignored.
        let _ = stream.and_then(|stream| answer(&stream, &root));
    }
    Ok(())
}

fn answer(mut stream: &TcpStream, root: &Path) -> io::Result<()> {
    // A client that connects and sends nothing must not block the next one.
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().unwrap_or(Ok(String::new()))?;
    while lines
        .next()
        .transpose()?
        .is_some_and(|line| !line.is_empty())
    {}
    let address = request.split(' ').nth(1).unwrap_or("/");
    let path = address
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .trim_start_matches('/');
    let (status, kind, body) = match read(root, path) {
        Ok((kind, body)) => ("200 OK", kind, body),
        Err(_) => ("404 Not Found", "text/plain", b"not found\n".to_vec()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)
}

/// The file at `path` below `root` and its type; links and `..` to files outside `root` are not
/// found.
fn read(root: &Path, path: &str) -> io::Result<(&'static str, Vec<u8>)> {
    let mut file = root.join(path).canonicalize()?;
    if file.is_dir() {
        file.push("index.html");
    }
    if !file.starts_with(root) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let kind = match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        _ => "text/plain",
    };
    Ok((kind, fs::read(file)?))
}
