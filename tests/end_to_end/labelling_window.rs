//! Drives the labelling page in a browser by keys, as a person would, and runs the program that
//! serves it.

use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Input};
use headless_chrome::{Browser, LaunchOptions, Tab};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for the page. A debug build renders slowly on a busy machine.
const LIMIT: Duration = Duration::from_mins(3);

/// A running `vclean lab annotate`; killed when dropped.
pub struct Program {
    child: Child,
    /// The address that it printed.
    pub address: String,
}

impl Program {
    /// Starts the program and waits for its address.
    pub fn start<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_vclean"))
            .args(["lab", "annotate"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        assert!(
            address.starts_with("http://127.0.0.1:"),
            "{address:?} is no address"
        );
        Self {
            child,
            address: address.trim().to_owned(),
        }
    }

    /// Returns the port in the address.
    pub fn port(&self) -> String {
        url::Url::parse(&self.address)
            .unwrap()
            .port()
            .unwrap()
            .to_string()
    }

    /// Kills it as `kill -9` does.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a browser. The pages that it shows are our own, so it may run without a sandbox, which
/// root does not have.
pub fn browser() -> Browser {
    let path = vclean_render::find_browser(None).unwrap();
    let options = LaunchOptions {
        path: Some(path),
        sandbox: false,
        window_size: Some((1400, 900)),
        idle_browser_timeout: Duration::from_mins(10),
        ..LaunchOptions::default()
    };
    Browser::new(options).unwrap()
}

/// A window that shows the labelling page.
pub struct Window {
    pub tab: Arc<Tab>,
    errors: Arc<Mutex<Vec<String>>>,
}

impl Window {
    /// Opens an address and waits until a page or a notice is shown.
    pub fn open(browser: &Browser, address: &str) -> Self {
        let window = Self::empty(browser);
        window.go(address);
        window
    }

    /// Opens a window without a page.
    pub fn empty(browser: &Browser) -> Self {
        let tab = browser.new_tab().unwrap();
        let errors = Arc::new(Mutex::new(Vec::new()));
        tab.enable_runtime().unwrap();
        tab.enable_log().unwrap();
        let heard = Arc::clone(&errors);
        tab.add_event_listener(Arc::new(move |event: &Event| match event {
            Event::RuntimeExceptionThrown(thrown) => {
                heard
                    .lock()
                    .unwrap()
                    .push(format!("{:?}", thrown.params.exception_details));
            }
            Event::LogEntryAdded(added)
                if added.params.entry.text.contains("Content Security Policy") =>
            {
                heard.lock().unwrap().push(added.params.entry.text.clone());
            }
            _ => {}
        }))
        .unwrap();
        Self { tab, errors }
    }

    /// Opens another address in this window.
    pub fn go(&self, address: &str) {
        self.tab.navigate_to(address).unwrap();
        self.until("document.readyState === 'complete' && (!document.querySelector('#work').hidden || !['', 'loading', undefined].includes(document.querySelector('#notice').dataset.kind))");
    }

    /// The value of a JavaScript expression, which may be a promise.
    #[track_caller]
    pub fn value(&self, expression: &str) -> Value {
        let wrapped =
            format!("Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))");
        let result = self.tab.evaluate(&wrapped, true).unwrap();
        let text = result
            .value
            .unwrap_or_else(|| panic!("{expression}: {:?}", result.description));
        serde_json::from_str(text.as_str().unwrap()).unwrap()
    }

    /// The text that an element shows.
    #[track_caller]
    pub fn text(&self, selector: &str) -> String {
        let text = self.value(&format!(
            "document.querySelector({})?.textContent",
            json!(selector)
        ));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn until(&self, condition: &str) {
        let start = Instant::now();
        while start.elapsed() < LIMIT {
            // While the document is being replaced, the call fails.
            let asked = self.tab.evaluate(&format!("Boolean({condition})"), false);
            if asked.is_ok_and(|answer| answer.value == Some(json!(true))) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!(
            "never true: {condition}\nthe page shows: {}",
            self.text("body")
        );
    }

    /// Presses a key: `c`, `Shift+ArrowDown`, `Ctrl+a`, `?`.
    pub fn press(&self, name: &str) {
        let (modifiers, key) = match name.rsplit_once('+') {
            Some((modifiers, key)) if !key.is_empty() => (modifiers, key),
            _ => ("", name),
        };
        let has = |modifier: &str| modifiers.contains(modifier);
        let bits = u32::from(has("Alt")) + 2 * u32::from(has("Ctrl")) + 8 * u32::from(has("Shift"));
        let is_letter = key.len() == 1 && key.chars().all(|letter| letter.is_ascii_alphabetic());
        let key = if is_letter && has("Shift") {
            key.to_ascii_uppercase()
        } else {
            key.to_owned()
        };
        let code = if is_letter {
            format!("Key{}", key.to_ascii_uppercase())
        } else {
            key.clone()
        };
        let text = match key.as_str() {
            "Enter" => Some("\r".to_owned()),
            _ if key.chars().count() == 1 && !has("Alt") && !has("Ctrl") => Some(key.clone()),
            _ => None,
        };
        // A release would take 100 ms, and nothing on the page waits for it.
        self.tab
            .call_method(Input::DispatchKeyEvent {
                Type: Input::DispatchKeyEventTypeOption::KeyDown,
                modifiers: Some(bits),
                timestamp: None,
                text,
                unmodified_text: None,
                key_identifier: None,
                code: Some(code),
                windows_virtual_key_code: virtual_key(&key),
                key: Some(key),
                native_virtual_key_code: None,
                auto_repeat: None,
                is_keypad: None,
                is_system_key: None,
                location: None,
                commands: None,
            })
            .unwrap();
    }

    /// Presses several keys in order; see [`Self::press`].
    pub fn press_all(&self, names: &[&str]) {
        for name in names {
            self.press(name);
        }
    }

    /// Drags the mouse from one point of the window to another, in CSS pixels.
    pub fn drag(&self, from: [f64; 2], to: [f64; 2]) {
        use Input::DispatchMouseEventTypeOption::{MouseMoved, MousePressed, MouseReleased};
        let middle = [f64::midpoint(from[0], to[0]), f64::midpoint(from[1], to[1])];
        let moves = [
            (MousePressed, from),
            (MouseMoved, middle),
            (MouseMoved, to),
            (MouseReleased, to),
        ];
        for (kind, [x, y]) in moves {
            self.tab
                .call_method(Input::DispatchMouseEvent {
                    Type: kind,
                    x,
                    y,
                    modifiers: None,
                    timestamp: None,
                    button: Some(Input::MouseButton::Left),
                    buttons: Some(1),
                    click_count: Some(1),
                    force: None,
                    tangential_pressure: None,
                    tilt_x: None,
                    tilt_y: None,
                    twist: None,
                    delta_x: None,
                    delta_y: None,
                    pointer_Type: None,
                })
                .unwrap();
        }
    }

    /// Marks the page as done, even if uncertain blocks were not visited. A page that was just
    /// opened cannot be finished.
    pub fn finish(&self) {
        thread::sleep(Duration::from_millis(600));
        self.press_all(&["d", "d"]);
    }

    /// Waits until every change is on disk.
    #[track_caller]
    pub fn wait_stored(&self) {
        self.until("document.querySelector('#saved').textContent === 'All stored'");
    }

    /// The open page, as the server knows it.
    #[track_caller]
    pub fn page(&self, number: usize) -> Value {
        self.value(&format!(
            "fetch('/api/pages/{number}').then((answer) => answer.json())"
        ))
    }

    /// The label of each block, and who gave it.
    #[track_caller]
    pub fn labels(&self, number: usize) -> Vec<(String, Value)> {
        let page = self.page(number);
        let blocks = page["blocks"].as_array().unwrap();
        blocks
            .iter()
            .map(|block| {
                (
                    block["label"].as_str().unwrap().to_owned(),
                    block["by"].clone(),
                )
            })
            .collect()
    }

    /// Makes a block the current one, by keys.
    pub fn go_to_block(&self, number: u64) {
        self.press("Home");
        for _ in 0..number {
            self.press("ArrowDown");
        }
        self.until(&format!(
            "document.querySelector('#block_title').textContent.startsWith('Block {} ')",
            number + 1
        ));
    }

    /// Gives the window another size, in CSS pixels.
    pub fn set_size(&self, width: u32, height: u32) {
        let size = Emulation::SetDeviceMetricsOverride {
            width,
            height,
            device_scale_factor: 1.0,
            mobile: false,
            scale: None,
            screen_width: None,
            screen_height: None,
            position_x: None,
            position_y: None,
            dont_set_visible_size: None,
            screen_orientation: None,
            viewport: None,
            display_feature: None,
            device_posture: None,
        };
        self.tab.call_method(size).unwrap();
    }

    /// Emulates the system's preference for light or dark.
    pub fn set_theme(&self, theme: &str) {
        let feature = Emulation::MediaFeature {
            name: "prefers-color-scheme".to_owned(),
            value: theme.to_owned(),
        };
        self.tab
            .call_method(Emulation::SetEmulatedMedia {
                media: None,
                features: Some(vec![feature]),
            })
            .unwrap();
    }

    /// Asserts that no script failed and nothing was blocked by the policy of the page.
    #[track_caller]
    pub fn assert_no_errors(&self) {
        let errors = self.errors.lock().unwrap();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

/// The virtual key code that the browser needs for keys without a letter.
fn virtual_key(key: &str) -> Option<u32> {
    match key {
        "Tab" => Some(9),
        "Enter" => Some(13),
        "Escape" => Some(27),
        "End" => Some(35),
        "Home" => Some(36),
        "ArrowLeft" => Some(37),
        "ArrowUp" => Some(38),
        "ArrowRight" => Some(39),
        "ArrowDown" => Some(40),
        _ => key
            .chars()
            .next()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| u32::from(letter.to_ascii_uppercase())),
    }
}
