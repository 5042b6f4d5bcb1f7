//! The protocol on standard input and output, one message per line. The implementation drops a line
//! that is too long, and its client would wait forever; here it is answered with an error.

use futures_util::future::BoxFuture;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Deserialize;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;

/// Largest number of bytes that are kept of a message to find its `id`. Heuristic: a message has a
/// few short members besides its parameters.
const MAX_OUTLINE_BYTES: usize = 4096;

/// The transport of messages from and to a client.
pub(super) struct StandardIo<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, Watched<R>, W>,
    limit: usize,
    too_long: mpsc::UnboundedReceiver<Option<RequestId>>,
    /// The answer to a message that is too long, while it is being sent: [`Self::receive`] may be
    /// dropped and called again.
    refusal: Option<BoxFuture<'static, io::Result<()>>>,
}

impl<R, W> StandardIo<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// `limit` is the longest line in bytes, with its line break.
    pub(super) fn new(input: R, output: W, limit: usize) -> Self {
        let (sender, too_long) = mpsc::unbounded_channel();
        let input = Watched {
            input,
            limit,
            line: Line::default(),
            too_long: sender,
        };
        let inner = AsyncRwTransport::new_server(input, output).with_max_line_length(limit);
        Self {
            inner,
            limit,
            too_long,
            refusal: None,
        }
    }

    fn refuse(&mut self, id: Option<RequestId>) {
        let cause = format!(
            "the message has more than {} bytes; send a smaller page, or its address",
            self.limit
        );
        let answer =
            TxJsonRpcMessage::<RoleServer>::error(ErrorData::invalid_request(cause, None), id);
        self.refusal = Some(Box::pin(self.inner.send(answer)));
    }
}

impl<R, W> Transport<RoleServer> for StandardIo<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusal) = &mut self.refusal {
                // If nobody reads the answer, the next message fails too.
                let _ = refusal.await;
                self.refusal = None;
            }
            let refused = tokio::select! {
                biased;
                Some(id) = self.too_long.recv() => id,
                message = self.inner.receive() => match message {
                    // The end of the input may have shown that its last line is too long.
                    None => self.too_long.try_recv().ok()?,
                    message => return message,
                },
            };
            self.refuse(refused);
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.inner.close().await
    }
}

/// Input whose lines are measured as they are read.
struct Watched<R> {
    input: R,
    limit: usize,
    line: Line,
    /// The `id`s of lines that were too long.
    too_long: mpsc::UnboundedSender<Option<RequestId>>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.input).poll_read(context, buffer))?;
        let read = &buffer.filled()[before..];
        for part in read.split_inclusive(|byte| *byte == b'\n') {
            this.line.add(part);
            if part.ends_with(b"\n") {
                this.end_line();
            }
        }
        if read.is_empty() && buffer.remaining() > 0 {
            this.end_line();
        }
        Poll::Ready(Ok(()))
    }
}

impl<R> Watched<R> {
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.length > self.limit {
            // If there is no receiver, nobody waits for an answer.
            let _ = self.too_long.send(line.id());
        }
    }
}

/// A line that is being read: its length, and its message without the contents of objects and lists
/// in it.
#[derive(Debug, Default)]
struct Line {
    length: usize,
    outline: Vec<u8>,
    /// Number of objects and lists around the current byte.
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
}

impl Line {
    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        for &byte in bytes {
            let depth = self.depth;
            match byte {
                _ if self.is_in_text => {
                    self.is_in_text = self.is_escaped || byte != b'"';
                    self.is_escaped = !self.is_escaped && byte == b'\\';
                }
                b'"' => self.is_in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = depth.saturating_sub(1),
                _ => (),
            }
            let kept = match (depth, self.depth) {
                // A placeholder for the value keeps the outline valid.
                (1, 2) => Some(b'0'),
                (0 | 1, 0 | 1) => Some(byte),
                _ => None,
            };
            self.outline
                .extend(kept.filter(|_| self.outline.len() < MAX_OUTLINE_BYTES));
        }
    }

    /// The `id`, if the line is a message and has one.
    fn id(&self) -> Option<RequestId> {
        #[derive(Deserialize)]
        struct Message {
            id: RequestId,
        }
        // A list would otherwise be read as the members of a message.
        let outline =
            Some(&self.outline).filter(|outline| outline.trim_ascii_start().starts_with(b"{"))?;
        serde_json::from_slice(outline)
            .ok()
            .map(|Message { id }| id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex};

    #[test]
    fn the_id_of_a_message_is_found_wherever_it_stands() {
        let long = "x".repeat(2 * MAX_OUTLINE_BYTES);
        let within = format!(
            r#"{{"html": "{long}\\\"}}{{[\"id\": 9", "id": 8, "list": [{{"id": 7}}, "]"]}}"#
        );
        for (message, id) in [
            (
                format!(r#"{{"jsonrpc": "2.0", "id": 1, "params": {within}}}"#),
                Some(RequestId::Number(1)),
            ),
            (
                format!(r#"{{"params": {within}, "method": "a", "id": "b\"c"}}"#),
                Some(RequestId::String("b\"c".into())),
            ),
            (format!(r#"{{"params": {within}, "method": "a"}}"#), None),
            (format!(r#"{{"params": {within}, "id": null}}"#), None),
            (format!(r#"[{{"id": 1, "params": {within}}}]"#), None),
            (format!(r#"{{"{long}": 1, "id": 1}}"#), None),
            (format!(r#"}}]{{"id": {within}"#), None),
            (long.clone(), None),
        ] {
            for size in [1, 7, message.len()] {
                let mut line = Line::default();
                message
                    .as_bytes()
                    .chunks(size)
                    .for_each(|part| line.add(part));
                assert_eq!(
                    (line.id(), line.length),
                    (id.clone(), message.len()),
                    "{}",
                    &message[..20]
                );
                assert!(line.outline.len() <= MAX_OUTLINE_BYTES);
            }
        }
    }

    #[tokio::test]
    async fn messages_that_are_too_long_are_answered_and_the_next_ones_are_received() {
        let ping = |id: usize, length: usize| {
            let message = format!(
                r#"{{"method": "ping", "params": {{"_meta": {{"a": ""}}}}, "jsonrpc": "2.0", "id": {id}}}"#
            );
            message.replace(
                r#""""#,
                &format!(r#""{}""#, "x".repeat(length - message.len() - 1)),
            ) + "\n"
        };
        let ((input, mut to_server), (output, from_server)) = (duplex(64), duplex(1 << 20));
        let mut transport = StandardIo::new(input, output, 1000);
        // The last line has no line break.
        let sent = ping(1, 1000)
            + &ping(2, 1001)
            + &ping(3, 5000)
            + &ping(4, 100)
            + ping(5, 3000).trim_end();
        tokio::spawn(async move { to_server.write_all(sent.as_bytes()).await });
        let mut received = Vec::new();
        while let Some(RxJsonRpcMessage::<RoleServer>::Request(request)) = transport.receive().await
        {
            received.push(request.id);
        }
        assert_eq!(received, [1, 4].map(RequestId::Number));
        transport.close().await.unwrap();
        drop(transport);
        let mut lines = BufReader::new(from_server).lines();
        for id in [2, 3, 5] {
            let answer: serde_json::Value =
                serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            let cause = answer["error"]["message"].as_str().unwrap();
            assert!(
                answer["id"] == id && cause.contains("more than 1000 bytes; send a smaller page"),
                "{answer}"
            );
        }
        assert_eq!(lines.next_line().await.unwrap(), None);
    }
}
