//! One tab: sends calls, waits for responses, and handles the page's events meanwhile.

use super::connection::{Calls, Connection, Event, Incoming, Session};
use super::page_events::{PageEvents, Reaction};
use super::paused_response::{self, PausedResponse};
use super::pipe::Pipe;
use super::protocol::{SCREENSHOT, parsed, screenshot_params, screenshot_png};
use super::requests::{self, Access, OwnHeaders, RecordedPage};
use crate::options::Cancel;
use headless_chrome::protocol::cdp::types::Method;
use headless_chrome::protocol::cdp::{Browser, Emulation, Inspector, Network, Page};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use vclean_core::capture::Picture;
use vclean_core::error::RenderError;
use vclean_core::rendering::Area;
use vclean_core::text::excerpt;
use vclean_js::DIALOGS;

/// Longest wait for a call that only changes a setting.
pub(super) const QUICK: Duration = Duration::from_secs(15);

/// Longest wait for one step after loading.
pub(super) const STEP_LIMIT: Duration = Duration::from_mins(1);

/// A tab that renders one page after the other.
pub(super) struct Tab {
    connection: Connection,
    /// State of the page, updated by its events.
    pub(super) events: PageEvents,
    /// Resources that its pages may load.
    pub(super) access: Access,
    /// The page being rendered, in a tab for archives.
    pub(super) recorded_page: Option<RecordedPage>,
    id: String,
    /// Deadline of the current page or of the preparation for the next one.
    end: Option<End>,
    /// Headers that only the host of the page gets.
    pub(super) own_headers: Option<OwnHeaders>,
    /// Response of the main document while its bytes are read.
    paused_response: Option<PausedResponse>,
    /// Set while the local storage is filled: every document is then an empty page.
    pub(super) serves_empty_page: bool,
    /// The browser's own user agent.
    user_agent: String,
    /// The proxy's password, while the tab signs in.
    pub(super) password: Option<String>,
    /// True while the tab is configured for saved pages.
    is_saved: bool,
    /// True while scripts are disabled.
    scripts_off: bool,
    viewport_px: [u32; 2],
    /// True while the visible area is larger than the viewport.
    is_wide: bool,
    /// True if the browser paints content below the viewport, as tested by
    /// [`Self::try_painting_below`].
    pub(super) paints_below: bool,
    /// Number of pixels in the browser's pictures per CSS pixel; our pictures have one.
    pub(super) screen_scale: f64,
    /// Isolated worlds from which the page of another program was changed; `None` in our own tabs.
    changed_worlds: Option<Vec<i64>>,
}

/// The deadline of a page.
#[derive(Debug, Clone, Copy)]
struct End {
    at: Instant,
    /// The time limit that messages name, in ms.
    limit_ms: u64,
}

/// Parameters that set a viewport of this size, and a visible area if that is larger.
fn metrics([width, height]: [u32; 2], visible_area: Option<[u32; 2]>) -> Value {
    let mut metrics =
        json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    if let Some([width, height]) = visible_area {
        metrics["viewport"] =
            json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
    }
    metrics
}

impl Tab {
    /// Creates an unconfigured tab. The id of its main frame equals that of the target.
    fn new(connection: Connection, id: &str, viewport_px: [u32; 2], access: Access) -> Self {
        Self {
            connection,
            events: PageEvents::for_frame(id),
            access,
            recorded_page: None,
            id: id.to_owned(),
            end: None,
            own_headers: None,
            paused_response: None,
            serves_empty_page: false,
            user_agent: String::new(),
            password: None,
            is_saved: false,
            scripts_off: false,
            viewport_px,
            is_wide: false,
            paints_below: false,
            screen_scale: 1.0,
            changed_worlds: None,
        }
    }

    /// Creates a tab for a page of another program. Our changes are recorded so that they can be
    /// undone. Its main frame is not known yet.
    pub(super) fn open(calls: Calls) -> Self {
        let tab = Self::new(Connection::Calls(calls), "", [0, 0], Access::Network);
        Self {
            changed_worlds: Some(Vec::new()),
            ..tab
        }
    }

    /// Records that the page of another program is changed from this isolated world.
    pub(super) fn keep_changes_of(&mut self, world: i64) {
        if let Some(worlds) = &mut self.changed_worlds
            && !worlds.contains(&world)
        {
            worlds.push(world);
        }
    }

    /// Returns true if the page belongs to another program, which wants it back unchanged.
    pub(super) fn belongs_to_caller(&self) -> bool {
        self.changed_worlds.is_some()
    }

    /// Returns the worlds from which the page was changed, and clears the list.
    pub(super) fn take_changed_worlds(&mut self) -> Vec<i64> {
        self.changed_worlds.replace(Vec::new()).unwrap_or_default()
    }

    /// Attaches to a tab that the browser has opened, and prepares it.
    pub(super) fn attach(
        id: &str,
        pipe: &Pipe,
        viewport_px: [u32; 2],
        user_agent: &str,
        access: Access,
    ) -> Result<Self, RenderError> {
        let session = Session::new(pipe.attach(id, QUICK)?);
        let mut tab = Self::new(Connection::Session(session), id, viewport_px, access);
        user_agent.clone_into(&mut tab.user_agent);
        let settings: [(&'static str, Value); 9] = [
            named(&Page::Enable {
                enable_file_chooser_opened_event: None,
            }),
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
            (
                Emulation::SetDeviceMetricsOverride::NAME,
                metrics(viewport_px, None),
            ),
            (
                "Emulation.setUserAgentOverride",
                json!({ "userAgent": user_agent }),
            ),
            (
                Browser::SetDownloadBehavior::NAME,
                json!({ "behavior": "deny" }),
            ),
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({ "source": DIALOGS }),
            ),
        ];
        for (method, params) in settings {
            tab.setting(method, &params)?;
        }
        tab.paints_below = tab.try_painting_below()?;
        if access == Access::Archive {
            for (method, params) in requests::archive_settings() {
                tab.setting(method, &params)?;
            }
        }
        Ok(tab)
    }

    /// Tests if the browser paints content below the viewport, as its flags request: a bar below a
    /// tall gap must be visible in a picture. If not, each picture needs a separate painting.
    fn try_painting_below(&mut self) -> Result<bool, RenderError> {
        const PAGE: &str = "<body style='margin:0'><div style='height:5000px'></div><div style='height:9px;background:#000'>";
        const STEP: &str = "trying a picture";
        let [width, height] = [8, 5008];
        let frame = self.events.frame.clone();
        let content = |html: &str| json!({ "frameId": frame, "html": html });
        self.setting("Page.setDocumentContent", &content(PAGE))?;
        self.set_visible_area(Some([width, height]))?;
        let area = Area {
            left: 0,
            top: 0,
            width,
            height,
        };
        let text = self.call_text(
            SCREENSHOT,
            &screenshot_params(area, false, 1.0),
            STEP,
            QUICK,
        )?;
        self.set_visible_area(None)?;
        self.setting("Page.setDocumentContent", &content(""))?;
        let seen = Picture::from_png(screenshot_png(&text, STEP)?).decode_rgb();
        Ok(seen.is_ok_and(|seen| {
            seen.height() == height
                && seen.get_pixel(4, 2000).0 == [255; 3]
                && seen.get_pixel(4, 5004).0 == [0; 3]
        }))
    }

    /// Sets the visible area to `size` (image pixels) from the top left corner of the page, or back
    /// to the viewport if `size` is `None`. The page does not notice this: the width and height of
    /// its viewport stay the same.
    pub(super) fn set_visible_area(&mut self, size: Option<[u32; 2]>) -> Result<(), RenderError> {
        if size.is_some() || self.is_wide {
            self.setting(
                Emulation::SetDeviceMetricsOverride::NAME,
                &metrics(self.viewport_px, size),
            )?;
            self.is_wide = size.is_some();
        }
        Ok(())
    }

    /// Sets the size of the window, in CSS px.
    pub(super) fn set_viewport(&mut self, viewport_px: [u32; 2]) -> Result<(), RenderError> {
        if self.viewport_px != viewport_px {
            self.viewport_px = viewport_px;
            self.setting(
                Emulation::SetDeviceMetricsOverride::NAME,
                &metrics(viewport_px, None),
            )?;
        }
        Ok(())
    }

    /// Returns the browser's user agent as it is without other settings.
    pub(super) fn user_agent(&self) -> &str {
        &self.user_agent
    }

    /// Sends a call and waits for its response, at most `limit`.
    pub(super) fn call<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &Value,
        step: &'static str,
        limit: Duration,
    ) -> Result<T, RenderError> {
        let text = self.call_text(method, params, step, limit)?;
        parsed(&text, method)
    }

    /// Sends a call and waits for its response, at most `limit`; returns the whole response as
    /// text.
    pub(super) fn call_text(
        &mut self,
        method: &str,
        params: &Value,
        step: &'static str,
        limit: Duration,
    ) -> Result<String, RenderError> {
        let number = self.begin(method, params)?;
        self.finish(number, step, limit)
    }

    /// Sends a call without waiting; [`Self::finish`] returns the response. Only one such call may
    /// be pending, and no other call is allowed meanwhile, since it would discard the response.
    pub(super) fn begin(&mut self, method: &str, params: &Value) -> Result<u64, RenderError> {
        self.connection
            .send(method, params)
            .map_err(|error| self.too_slow().unwrap_or(error))
    }

    /// Returns the error of a page whose time is over.
    fn too_slow(&self) -> Option<RenderError> {
        let End { limit_ms, .. } = self.end.filter(|end| end.at <= Instant::now())?;
        Some(RenderError::TooSlow { limit_ms })
    }

    /// From now on, calls fail at `at`; the error names `limit_ms`, the limit that the user knows.
    pub(super) fn end_at(&mut self, at: Instant, limit_ms: u64) {
        self.end = Some(End { at, limit_ms });
    }

    /// From now on, calls fail soon after `cancel` is set.
    pub(super) fn end_when(&mut self, cancel: &Cancel) {
        self.connection.end_when(cancel);
    }

    /// Kills the process of the tab's page at once, even while its scripts are busy. The tab cannot
    /// be used afterwards.
    pub(super) fn end_process(&mut self) {
        self.end = Some(End {
            at: Instant::now() + Duration::from_secs(1),
            limit_ms: 1000,
        });
        // If this fails, the process is already dead.
        let _ = self.notify("Page.crash", &json!({}));
    }

    /// Waits for the response to a pending call, at most `limit` from now.
    pub(super) fn finish(
        &mut self,
        number: u64,
        step: &'static str,
        limit: Duration,
    ) -> Result<String, RenderError> {
        let own = Instant::now() + limit;
        let deadline = self.end.map_or(own, |end| end.at.min(own));
        loop {
            match self.connection.receive(deadline)? {
                None => {
                    let limit_ms = limit.as_millis() as u64;
                    return Err(self
                        .too_slow()
                        .unwrap_or(RenderError::TimeOut { step, limit_ms }));
                }
                Some(Incoming::Response(call, text)) if call == number => return Ok(text),
                Some(Incoming::Response(call, text)) => self.take_bytes(call, &text)?,
                Some(Incoming::Event(event)) => self.handle(&event)?,
            }
        }
    }

    /// Sends a call whose response has no content.
    pub(super) fn setting(&mut self, method: &str, params: &Value) -> Result<(), RenderError> {
        self.call::<Value>(method, params, "a setting of the browser", QUICK)
            .map(drop)
    }

    /// Sends a call and does not wait for the response.
    fn notify(&mut self, method: &str, params: &Value) -> Result<(), RenderError> {
        self.begin(method, params).map(drop)
    }

    /// Handles events until `done` or `deadline`; returns true if it was done.
    pub(super) fn wait(
        &mut self,
        deadline: Instant,
        done: impl Fn(&PageEvents) -> bool,
    ) -> Result<bool, RenderError> {
        let deadline = self.end.map_or(deadline, |end| end.at.min(deadline));
        while !done(&self.events) {
            match self.connection.receive(deadline)? {
                None => return Ok(done(&self.events)),
                Some(Incoming::Response(call, text)) => self.take_bytes(call, &text)?,
                Some(Incoming::Event(event)) => self.handle(&event)?,
            }
        }
        Ok(true)
    }

    /// If a message contains the bytes of the paused response, uses them to resume it.
    fn take_bytes(&mut self, call: u64, message: &str) -> Result<(), RenderError> {
        let Some(paused) = self.paused_response.take_if(|paused| paused.call == call) else {
            return Ok(());
        };
        let (method, params) = paused.reply(message);
        self.notify(method, &params)
    }

    /// Requests the bytes of a paused response of the main document; resumes other responses.
    fn pause(&mut self, params: &Value) -> Result<(), RenderError> {
        if !paused_response::is_document_of(params, &self.events.frame) {
            let (method, params) = paused_response::as_it_is(params);
            return self.notify(method, &params);
        }
        let call = self.begin(
            "Fetch.getResponseBody",
            &json!({ "requestId": params["requestId"] }),
        )?;
        self.paused_response = Some(PausedResponse {
            call,
            params: params.clone(),
        });
        Ok(())
    }

    /// Pauses the responses of documents, so that their bytes can be read, or stops pausing them.
    pub(super) fn set_reads_bytes(&mut self, on: bool) -> Result<(), RenderError> {
        let requests = self.own_headers.as_ref().map(|_| requests::every_request());
        let patterns: Vec<Value> = requests
            .into_iter()
            .chain(on.then(paused_response::documents))
            .collect();
        if patterns.is_empty() {
            return self.setting("Fetch.disable", &json!({}));
        }
        self.setting("Fetch.enable", &json!({ "patterns": patterns }))
    }

    fn handle(&mut self, event: &Event) -> Result<(), RenderError> {
        let reply = match event.method.as_str() {
            "Fetch.requestPaused" if paused_response::is_response(&event.params) => {
                return self.pause(&event.params);
            }
            "Fetch.requestPaused" => {
                let is_shown = self.events.commits > 0;
                Some(match (self.access, &self.own_headers) {
                    _ if self.serves_empty_page => requests::empty_page_reply(&event.params),
                    (Access::Network, Some(own)) if !self.is_saved => {
                        own.reply(&event.params, &self.events.frame, &self.events.shown)
                    }
                    (Access::Archive, _) => requests::archive_reply(
                        self.recorded_page.as_mut(),
                        &event.params,
                        &self.events.frame,
                        is_shown,
                    ),
                    _ => requests::saved_page_reply(
                        &event.params,
                        &self.events.frame,
                        self.is_saved && is_shown,
                    ),
                })
            }
            "Fetch.authRequired" => {
                Some(requests::password(self.password.as_deref(), &event.params))
            }
            _ => None,
        };
        if let Some((method, params)) = reply {
            return self.notify(method, &params);
        }
        let reaction = self.events.record(event);
        self.react(&reaction)
    }

    fn react(&mut self, reaction: &Reaction) -> Result<(), RenderError> {
        if self.events.is_dead() {
            return Err(RenderError::Crash("the page's process died".to_owned()));
        }
        match reaction {
            Reaction::None => Ok(()),
            Reaction::StopLoading => self.notify(Page::StopLoading::NAME, &json!({})),
            Reaction::CloseDialog => self.notify(
                Page::HandleJavaScriptDialog::NAME,
                &json!({ "accept": false }),
            ),
            Reaction::StopScripts => {
                self.scripts_off = true;
                self.notify(
                    Emulation::SetScriptExecutionDisabled::NAME,
                    &json!({ "value": true }),
                )?;
                self.notify("Runtime.terminateExecution", &json!({}))?;
                self.notify(
                    Page::HandleJavaScriptDialog::NAME,
                    &json!({ "accept": false }),
                )
            }
        }
    }

    /// Configures the tab for saved pages or for pages of the network.
    pub(super) fn set_saved(&mut self, is_saved: bool) -> Result<(), RenderError> {
        if self.access != Access::Archive && self.is_saved != is_saved {
            for (method, params) in requests::saved_page_settings(is_saved) {
                self.setting(method, &params)?;
            }
            self.is_saved = is_saved;
        }
        Ok(())
    }

    /// Enables or disables the page's scripts. Our own scripts always run.
    pub(super) fn set_scripts(&mut self, on: bool) -> Result<(), RenderError> {
        if self.scripts_off == on {
            self.setting(
                Emulation::SetScriptExecutionDisabled::NAME,
                &json!({ "value": !on }),
            )?;
            self.scripts_off = !on;
        }
        Ok(())
    }

    /// Terminates the running script and prevents others from starting.
    pub(super) fn stop_scripts(&mut self) -> Result<(), RenderError> {
        self.end_scripts()?;
        self.notify(Page::StopLoading::NAME, &json!({}))
    }

    /// Disables all scripts while the page continues to load.
    pub(super) fn end_scripts(&mut self) -> Result<(), RenderError> {
        self.scripts_off = true;
        self.notify(
            Emulation::SetScriptExecutionDisabled::NAME,
            &json!({ "value": true }),
        )?;
        self.notify("Runtime.terminateExecution", &json!({}))
    }

    /// Returns the protocol id of the target.
    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

/// Splits a typed call into its name and parameters.
fn named<M: Method + Serialize>(method: &M) -> (&'static str, Value) {
    (M::NAME, serde_json::to_value(method).unwrap_or_default())
}

impl Tab {
    /// Creates an isolated world in a frame: the page's scripts cannot see our objects in it.
    pub(super) fn world(&mut self, frame: &str) -> Result<i64, RenderError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct World {
            execution_context_id: i64,
        }
        let params = json!({ "frameId": frame, "worldName": "vclean" });
        let world: World = self.call(
            "Page.createIsolatedWorld",
            &params,
            "preparing the page",
            QUICK,
        )?;
        Ok(world.execution_context_id)
    }

    /// Calls one of our functions in an isolated world. If it returns a promise, waits for the
    /// result.
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
            let message = details["exception"]["description"]
                .as_str()
                .unwrap_or_default();
            let message = excerpt(message.lines().next().unwrap_or_default(), 200);
            return Err(RenderError::Load(format!(
                "the page stops our script ({message}); try it with scripts off"
            )));
        }
        serde_json::from_value(called.result.value).map_err(|error| {
            RenderError::Crash(format!("{step} gave an unexpected answer: {error}"))
        })
    }
}
