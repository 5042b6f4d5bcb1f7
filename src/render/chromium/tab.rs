//! One tab: calls and answers, with the page's events read on the way.

use super::answer::parsed;
use super::sealed;
use super::shot::{METHOD, shot, unpacked};
use super::socket::{Event, Incoming, Socket};
use super::watch::{Reaction, Watch};
use crate::capture::Picture;
use crate::error::RenderError;
use crate::render::recorded::Visit;
use crate::text::excerpt;
use headless_chrome::protocol::cdp::types::Method;
use headless_chrome::protocol::cdp::{Browser, Emulation, Inspector, Network, Page};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tungstenite::Utf8Bytes;

/// Longest wait for a call that only changes a setting.
pub(super) const QUICK: Duration = Duration::from_secs(15);

/// Longest wait for one step after loading.
pub(super) const STEP_LIMIT: Duration = Duration::from_mins(1);

/// A tab that renders one page after the other.
pub(super) struct Tab {
    socket: Socket,
    /// What the page does.
    pub(super) watch: Watch,
    /// Whether nothing leaves it, see `sealed`.
    pub(super) is_sealed: bool,
    /// In a sealed tab, the page that is rendered.
    pub(super) visit: Option<Visit>,
    id: String,
    /// Whether scripts are off now.
    scripts_off: bool,
    viewport_px: [u32; 2],
    /// Whether the tab looks at more of the page than its viewport.
    is_wide: bool,
    /// Whether the browser paints what lies below the viewport; [`Self::try_painting_below`] finds out.
    pub(super) paints_below: bool,
}

/// A viewport of this size, and how much of the page to look at where that is more.
fn metrics([width, height]: [u32; 2], looked_at: Option<[u32; 2]>) -> Value {
    let mut metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    if let Some([width, height]) = looked_at {
        metrics["viewport"] = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
    }
    metrics
}

impl Tab {
    /// Connects to a tab that the browser on `port` has opened, and prepares it.
    pub(super) fn attach(
        id: &str,
        port: u16,
        viewport_px: [u32; 2],
        user_agent: &str,
        is_sealed: bool,
    ) -> Result<Self, RenderError> {
        let socket = Socket::connect(port, &format!("/devtools/page/{id}"))?;
        // The main frame of a target has the target's name.
        let watch = Watch::of(id);
        let mut tab = Self {
            socket,
            watch,
            is_sealed,
            visit: None,
            id: id.to_owned(),
            scripts_off: false,
            viewport_px,
            is_wide: false,
            paints_below: false,
        };
        let settings: [(&'static str, Value); 8] = [
            named(&Page::Enable { enable_file_chooser_opened_event: None }),
            named(&Network::Enable {
                max_total_buffer_size: Some(0),
                max_resource_buffer_size: Some(0),
                max_post_data_size: Some(0),
                report_direct_socket_traffic: None,
                enable_durable_messages: None,
            }),
            named(&Inspector::Enable(None)),
            ("DOM.enable", json!({})),
            ("DOMSnapshot.enable", json!({})),
            (Emulation::SetDeviceMetricsOverride::NAME, metrics(viewport_px, None)),
            ("Emulation.setUserAgentOverride", json!({ "userAgent": user_agent })),
            (Browser::SetDownloadBehavior::NAME, json!({ "behavior": "deny" })),
        ];
        for (method, params) in settings {
            tab.setting(method, &params)?;
        }
        tab.paints_below = tab.try_painting_below()?;
        if is_sealed {
            for (method, params) in sealed::settings() {
                tab.setting(method, &params)?;
            }
        }
        Ok(tab)
    }

    /// Whether the browser paints what lies below the viewport, as it is told to when it starts: a bar below a tall gap
    /// has to show in a picture. A browser that does not heed it is asked for a painting of its own each time.
    fn try_painting_below(&mut self) -> Result<bool, RenderError> {
        const PAGE: &str =
            "<body style='margin:0'><div style='height:5000px'></div><div style='height:9px;background:#000'>";
        const STEP: &str = "trying a picture";
        let [width, height] = [8, 5008];
        let frame = self.watch.frame.clone();
        let content = |html: &str| json!({ "frameId": frame, "html": html });
        self.setting("Page.setDocumentContent", &content(PAGE))?;
        self.look(Some([width, height]))?;
        let text = self.ask(METHOD, &shot(width, 0, height, false), STEP, QUICK)?;
        self.look(None)?;
        self.setting("Page.setDocumentContent", &content(""))?;
        let seen = Picture::from_png(unpacked(&text, STEP)?).decode_rgb();
        Ok(seen.is_ok_and(|seen| {
            seen.height() == height && seen.get_pixel(4, 2000).0 == [255; 3] && seen.get_pixel(4, 5004).0 == [0; 3]
        }))
    }

    /// Looks at the page from its top left corner as far as `size` (image pixels), or, for none, at the viewport again. The
    /// page itself sees nothing of it: it keeps the viewport's width and height.
    pub(super) fn look(&mut self, size: Option<[u32; 2]>) -> Result<(), RenderError> {
        if size.is_some() || self.is_wide {
            self.setting(Emulation::SetDeviceMetricsOverride::NAME, &metrics(self.viewport_px, size))?;
            self.is_wide = size.is_some();
        }
        Ok(())
    }

    /// Sends a call and waits for its answer, at most `limit`.
    pub(super) fn call<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &Value,
        step: &'static str,
        limit: Duration,
    ) -> Result<T, RenderError> {
        let text = self.ask(method, params, step, limit)?;
        parsed(&text, method)
    }

    /// As [`Self::call`], but gives the answer unparsed.
    pub(super) fn ask(
        &mut self,
        method: &str,
        params: &Value,
        step: &'static str,
        limit: Duration,
    ) -> Result<Utf8Bytes, RenderError> {
        let number = self.begin(method, params)?;
        self.finish(number, step, limit)
    }

    /// Sends a call and does not wait; [`Self::finish`] gives the answer. Only one such call may be on its way, and no
    /// other call may come between: its wait would pass over the answer.
    pub(super) fn begin(&mut self, method: &str, params: &Value) -> Result<u64, RenderError> {
        self.socket.send(method, params)
    }

    /// Waits for the answer of a call that was begun, at most `limit` from now.
    pub(super) fn finish(
        &mut self,
        number: u64,
        step: &'static str,
        limit: Duration,
    ) -> Result<Utf8Bytes, RenderError> {
        let deadline = Instant::now() + limit;
        loop {
            match self.socket.receive(deadline)? {
                None => return Err(RenderError::TimeOut { step, limit_ms: limit.as_millis() as u64 }),
                Some(Incoming::Answer(answered, text)) if answered == number => return Ok(text),
                Some(Incoming::Answer(..)) => {}
                Some(Incoming::Event(event)) => self.note(&event)?,
            }
        }
    }

    /// A call whose answer says nothing.
    pub(super) fn setting(&mut self, method: &str, params: &Value) -> Result<(), RenderError> {
        self.call::<Value>(method, params, "a setting of the browser", QUICK).map(drop)
    }

    /// Sends a call and does not wait for the answer.
    pub(super) fn tell(&mut self, method: &str, params: &Value) -> Result<(), RenderError> {
        self.socket.send(method, params).map(drop)
    }

    /// Reads events until `done` or `deadline`; says whether it was done.
    pub(super) fn wait(&mut self, deadline: Instant, done: impl Fn(&Watch) -> bool) -> Result<bool, RenderError> {
        while !done(&self.watch) {
            match self.socket.receive(deadline)? {
                None => return Ok(done(&self.watch)),
                Some(Incoming::Answer(..)) => {}
                Some(Incoming::Event(event)) => self.note(&event)?,
            }
        }
        Ok(true)
    }

    fn note(&mut self, event: &Event) -> Result<(), RenderError> {
        if event.method == "Fetch.requestPaused" {
            let (method, params) = sealed::reply(self.visit.as_mut(), &event.params, &self.watch.frame);
            return self.tell(method, &params);
        }
        let reaction = self.watch.note(event);
        self.react(&reaction)
    }

    fn react(&mut self, reaction: &Reaction) -> Result<(), RenderError> {
        if self.watch.is_dead() {
            return Err(RenderError::Crash("the page's process died".to_owned()));
        }
        match reaction {
            Reaction::None => Ok(()),
            Reaction::StopLoading => self.tell(Page::StopLoading::NAME, &json!({})),
            Reaction::CloseDialog => self.tell(Page::HandleJavaScriptDialog::NAME, &json!({ "accept": false })),
            Reaction::StopScripts => {
                self.scripts_off = true;
                self.tell(Emulation::SetScriptExecutionDisabled::NAME, &json!({ "value": true }))?;
                self.tell("Runtime.terminateExecution", &json!({}))?;
                self.tell(Page::HandleJavaScriptDialog::NAME, &json!({ "accept": false }))
            }
        }
    }

    /// Turns the page's scripts on or off. Our own keep working.
    pub(super) fn set_scripts(&mut self, on: bool) -> Result<(), RenderError> {
        if self.scripts_off == on {
            self.setting(Emulation::SetScriptExecutionDisabled::NAME, &json!({ "value": !on }))?;
            self.scripts_off = !on;
        }
        Ok(())
    }

    /// Ends whatever script runs now and keeps others from starting.
    pub(super) fn stop_scripts(&mut self) -> Result<(), RenderError> {
        self.end_scripts()?;
        self.tell(Page::StopLoading::NAME, &json!({}))
    }

    /// Lets no script run any more, while the page goes on loading.
    pub(super) fn end_scripts(&mut self) -> Result<(), RenderError> {
        self.scripts_off = true;
        self.tell(Emulation::SetScriptExecutionDisabled::NAME, &json!({ "value": true }))?;
        self.tell("Runtime.terminateExecution", &json!({}))
    }

    /// A world of our own in a frame, where the page's scripts see nothing of ours.
    pub(super) fn world(&mut self, frame: &str) -> Result<i64, RenderError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct World {
            execution_context_id: i64,
        }
        let params = json!({ "frameId": frame, "worldName": "vclean" });
        let world: World = self.call("Page.createIsolatedWorld", &params, "preparing the page", QUICK)?;
        Ok(world.execution_context_id)
    }

    /// Calls a function of ours in a world of ours; where it gives a promise, waits for what that gives.
    pub(super) fn function<T: DeserializeOwned>(
        &mut self,
        world: i64,
        source: &str,
        arguments: &[Value],
        step: &'static str,
        limit: Duration,
    ) -> Result<T, RenderError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Called {
            result: Remote,
            exception_details: Option<Value>,
        }
        #[derive(Deserialize)]
        struct Remote {
            #[serde(default)]
            value: Value,
        }
        let params = json!({
            "functionDeclaration": source,
            "executionContextId": world,
            "arguments": arguments,
            "returnByValue": true,
            "awaitPromise": true,
        });
        let called: Called = self.call("Runtime.callFunctionOn", &params, step, limit)?;
        if let Some(details) = called.exception_details {
            let said = details["exception"]["description"].as_str().unwrap_or_default();
            let said = excerpt(said.lines().next().unwrap_or_default(), 200);
            return Err(RenderError::Load(format!("the page stops our script ({said}); try it with scripts off")));
        }
        serde_json::from_value(called.result.value)
            .map_err(|error| RenderError::Crash(format!("{step} gave an unexpected answer: {error}")))
    }

    /// The target's name, for the protocol.
    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

/// A typed call as name and parameters.
fn named<M: Method + Serialize>(method: &M) -> (&'static str, Value) {
    (M::NAME, serde_json::to_value(method).unwrap_or_default())
}
