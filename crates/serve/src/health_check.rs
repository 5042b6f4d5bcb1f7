//! Asks a running service whether it is well: for containers, whose images have no other client.

use super::options::ServeError;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longest wait for the connection and for the answer, each.
const LIMIT: Duration = Duration::from_secs(4);
/// More of an answer is not needed to know its status.
const MAX_ANSWER_BYTES: u64 = 64;

/// Sends a request to `/healthz` of the service at `address`.
///
/// # Errors
/// [`ServeError::Unhealthy`] if it does not answer, or with another status than 200.
pub fn check_health(address: SocketAddr) -> Result<(), ServeError> {
    let unhealthy = |cause: String| ServeError::Unhealthy { address, cause };
    let answer = ask(address).map_err(|error| unhealthy(error.to_string()))?;
    let line = answer.lines().next().unwrap_or_default();
    if line.starts_with("HTTP/1.1 200") { Ok(()) } else { Err(unhealthy(format!("it answered {line}"))) }
}

fn ask(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, LIMIT)?;
    stream.set_read_timeout(Some(LIMIT))?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MAX_ANSWER_BYTES).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_service_is_well_if_it_says_so() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answers = std::thread::spawn(move || {
            for status in ["200 OK", "503 Service Unavailable"] {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 512]);
                write!(stream, "HTTP/1.1 {status}\r\n\r\nok\n").unwrap();
            }
        });
        assert!(check_health(address).is_ok());
        assert!(check_health(address).unwrap_err().to_string().contains("503"));
        answers.join().unwrap();
        assert!(check_health(address).is_err(), "nobody listens");
    }
}
