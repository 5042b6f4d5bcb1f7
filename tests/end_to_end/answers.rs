//! A server whose responses are written by the test, and which records its requests.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A running server; its threads end with the test process.
pub struct Answers {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Answers {
    /// Serves pages: `answer` receives the path and the connection, to which it writes the body.
    pub fn start(
        answer: impl Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (answer, record) = (Arc::new(answer), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, record) = (Arc::clone(&answer), Arc::clone(&record));
                thread::spawn(move || serve(stream, &*answer, &record));
            }
        });
        Self { address, requests }
    }

    /// Serves the same page under every path.
    pub fn page(html: impl Into<String>) -> Self {
        let html = html.into();
        Self::start(move |_, stream| stream.write_all(html.as_bytes()))
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address of `path`, which starts without a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// The heads of all requests since the last call of this function.
    pub fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }

    /// The heads of all requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    answer: &(impl Fn(&str, &mut TcpStream) -> std::io::Result<()> + ?Sized),
    record: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut head = String::new();
    let mut reader = BufReader::new(stream.try_clone()?);
    while reader.read_line(&mut head)? > 2 {}
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    record.lock().unwrap().push(head);
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\nconnection: close\r\n\r\n",
    )?;
    answer(&path, &mut stream)
}
