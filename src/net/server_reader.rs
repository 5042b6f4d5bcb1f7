//! Reads the response of a server for a client, and ends when the client has gone or the server takes too long.

use super::connect::SILENCE_LIMIT;
use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Longest time until the head of a response is complete. Without it, a server that sends a byte now and then would keep
/// its connection for days.
const HEAD_LIMIT: Duration = SILENCE_LIMIT;
/// Interval at which a waiting reader looks whether the client has gone.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Time that this takes.
const CHECK_LIMIT: Duration = Duration::from_millis(1);

/// The response of a server, as it arrives.
pub(super) struct ServerReader<'a> {
    server: &'a TcpStream,
    client: &'a TcpStream,
    head_deadline: Option<Instant>,
}

impl<'a> ServerReader<'a> {
    /// A reader for the response of `server` to a request that was read from `client` completely.
    pub(super) fn new(server: &'a TcpStream, client: &'a TcpStream) -> Self {
        Self { server, client, head_deadline: Some(Instant::now() + HEAD_LIMIT) }
    }

    /// Ends the time limit of the head.
    pub(super) fn head_is_complete(&mut self) {
        self.head_deadline = None;
    }

    /// Whether the client has closed its connection: it sends nothing before it has the response.
    fn has_client_gone(&self) -> io::Result<bool> {
        self.client.set_read_timeout(Some(CHECK_LIMIT))?;
        Ok(matches!(self.client.peek(&mut [0]), Ok(0)))
    }
}

impl Read for ServerReader<'_> {
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] after [`SILENCE_LIMIT`] without data, or after [`HEAD_LIMIT`] without a complete head;
    /// [`io::ErrorKind::ConnectionAborted`] if the client has gone.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut deadline = Instant::now() + SILENCE_LIMIT;
        if let Some(head) = self.head_deadline {
            deadline = deadline.min(head);
        }
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.server.set_read_timeout(Some(left.min(CHECK_INTERVAL)))?;
            match self.server.read(buffer) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if self.has_client_gone()? {
                        return Err(io::ErrorKind::ConnectionAborted.into());
                    }
                }
                result => return result,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{Ipv4Addr, TcpListener};

    /// Both ends of a connection.
    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (one, listener.accept().unwrap().0)
    }

    #[test]
    fn reading_ends_when_the_client_has_gone() {
        let ((server, mut far_server), (client, far_client)) = (pair(), pair());
        let mut reader = ServerReader::new(&server, &client);
        let mut buffer = [0; 9];
        far_server.write_all(b"abc").unwrap();
        assert_eq!(reader.read(&mut buffer).unwrap(), 3);
        let late = std::thread::spawn(move || {
            std::thread::sleep(3 * CHECK_INTERVAL);
            far_server.write_all(b"late").unwrap();
            far_server
        });
        assert_eq!(reader.read(&mut buffer).unwrap(), 4);
        let _open = late.join().unwrap();
        drop(far_client);
        let began = Instant::now();
        assert_eq!(reader.read(&mut buffer).unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
        assert!(began.elapsed() < SILENCE_LIMIT / 4);
    }

    #[test]
    fn a_head_has_a_time_limit_and_a_body_has_none() {
        let ((server, mut far_server), (client, _far_client)) = (pair(), pair());
        let mut reader = ServerReader::new(&server, &client);
        reader.head_deadline = Some(Instant::now());
        far_server.write_all(b"abc").unwrap();
        assert_eq!(reader.read(&mut [0; 9]).unwrap_err().kind(), io::ErrorKind::TimedOut);
        reader.head_is_complete();
        assert_eq!(reader.read(&mut [0; 9]).unwrap(), 3);
    }
}
