//! A cache of answers, in memory or in a folder, for requests that accept an earlier answer. It is
//! off unless the operator gives it room.
//!
//! The key of an answer is the whole request, without the members that do not change the answer, so
//! two requests share an answer only if they ask for the same. The least recently used answers are
//! removed to make room.

use super::cache_folder::{CacheFolder, HEAD, name_of};
use super::own_folder::FolderError;
use bytes::Bytes;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// Memory of an answer besides its content and its request, in bytes. Heuristic.
const ENTRY_BYTES: usize = 256;

/// Options of the cache of answers.
#[derive(Debug, Clone, Default)]
pub struct CacheOptions {
    /// Room for answers, in bytes; 0 turns the cache off.
    pub bytes: usize,
    /// Folder for the answers; `None` keeps them in memory until the service ends.
    pub folder: Option<PathBuf>,
    /// Settings of the service that change answers, as text, such as whether private addresses may
    /// be loaded. Answers that were made with other settings are not used.
    pub settings: String,
}

/// A cache of answers; see the module's description.
#[derive(Debug)]
pub(super) struct Cache {
    limit: usize,
    settings: String,
    folder: Option<CacheFolder>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Entries by request, or by the name of the file.
    entries: HashMap<String, Entry>,
    /// The keys of the entries in the order in which their answers were used.
    used: BTreeMap<u64, String>,
    uses: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    /// `None` if it is in a file.
    answer: Option<Bytes>,
    /// Bytes that count against the limit.
    bytes: usize,
    made: SystemTime,
    used: u64,
}

impl Cache {
    /// Opens a cache. Without room it keeps nothing.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub(super) fn open(options: &CacheOptions) -> Result<Self, FolderError> {
        let path = options.folder.as_deref().filter(|_| options.bytes > 0);
        let (folder, kept) = path.map(CacheFolder::open).transpose()?.unzip();
        let settings = format!("{} {}", env!("CARGO_PKG_VERSION"), options.settings);
        let this = Self {
            limit: options.bytes,
            settings,
            folder,
            state: Mutex::default(),
        };
        let mut state = this.lock();
        for file in kept.unwrap_or_default() {
            state.insert(
                file.name,
                Entry {
                    answer: None,
                    bytes: file.bytes,
                    made: file.made,
                    used: 0,
                },
            );
        }
        this.make_room(&mut state, 0);
        drop(state);
        Ok(this)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the cache keeps answers.
    pub(super) fn is_on(&self) -> bool {
        self.limit > 0
    }

    /// Returns true if the cache reads and writes files.
    pub(super) fn has_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// The key of the answer to a request.
    fn key(&self, request: String) -> String {
        if self.has_folder() {
            name_of(&format!("{}\n{request}", self.settings))
        } else {
            request
        }
    }

    /// The answer to a request and its age, if there is one that is at most `max_age` old.
    pub(super) fn get(&self, request: String, max_age: Duration) -> Option<(Bytes, Duration)> {
        let key = self.key(request);
        let mut state = self.lock();
        let entry = state.entries.get(&key)?;
        // If the clock was set back, the age is not known.
        let age = entry.made.elapsed().ok().filter(|age| *age <= max_age)?;
        let answer = match (&self.folder, &entry.answer) {
            (Some(folder), _) => folder.read(&key),
            (None, answer) => answer.clone(),
        };
        if answer.is_none() {
            self.forget(&mut state, &key);
        }
        state.use_now(&key);
        Some((answer?, age))
    }

    /// Keeps the answer to a request, replacing an earlier one.
    pub(super) fn put(&self, request: String, answer: Bytes) {
        let key = self.key(request);
        let bytes = if self.has_folder() {
            answer.len() + HEAD
        } else {
            answer.len() + 2 * key.len() + ENTRY_BYTES
        };
        if bytes > self.limit {
            return;
        }
        let made = SystemTime::now();
        let mut state = self.lock();
        self.forget(&mut state, &key);
        self.make_room(&mut state, bytes);
        let answer = match &self.folder {
            // An answer that cannot be written, as on a full disk, is not kept.
            Some(folder) if folder.write(&key, made, &answer).is_err() => return,
            Some(_) => None,
            None => Some(answer),
        };
        state.insert(
            key,
            Entry {
                answer,
                bytes,
                made,
                used: 0,
            },
        );
    }

    /// Removes the least recently used answers, until there is room for `bytes` more.
    fn make_room(&self, state: &mut State, bytes: usize) {
        while state.bytes + bytes > self.limit {
            let Some((_, oldest)) = state.used.first_key_value() else {
                break;
            };
            let oldest = oldest.clone();
            self.forget(state, &oldest);
        }
    }

    fn forget(&self, state: &mut State, key: &str) {
        if state.remove(key)
            && let Some(folder) = &self.folder
        {
            folder.remove(key);
        }
    }
}

impl State {
    fn insert(&mut self, key: String, entry: Entry) {
        self.uses += 1;
        self.bytes += entry.bytes;
        self.used.insert(self.uses, key.clone());
        self.entries.insert(
            key,
            Entry {
                used: self.uses,
                ..entry
            },
        );
    }

    fn use_now(&mut self, key: &str) {
        if let Some(entry) = self.entries.get_mut(key) {
            self.uses += 1;
            self.used.remove(&entry.used);
            entry.used = self.uses;
            self.used.insert(self.uses, key.to_owned());
        }
    }

    /// Removes an entry. Returns true if there was one.
    fn remove(&mut self, key: &str) -> bool {
        let Some(entry) = self.entries.remove(key) else {
            return false;
        };
        self.used.remove(&entry.used);
        self.bytes -= entry.bytes;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(byte: u8) -> Bytes {
        vec![byte; 1000].into()
    }

    fn in_memory(bytes: usize) -> Cache {
        Cache::open(&CacheOptions {
            bytes,
            ..CacheOptions::default()
        })
        .unwrap()
    }

    fn in_folder(folder: &tempfile::TempDir, bytes: usize, settings: &str) -> Cache {
        let (path, settings) = (folder.path().join("answers"), settings.to_owned());
        Cache::open(&CacheOptions {
            bytes,
            folder: Some(path),
            settings,
        })
        .unwrap()
    }

    fn found(cache: &Cache, request: &str) -> Option<Bytes> {
        cache
            .get(request.to_owned(), Duration::MAX)
            .map(|(answer, _)| answer)
    }

    #[test]
    fn answers_are_given_as_long_as_they_are_young_enough() {
        let folder = tempfile::tempdir().unwrap();
        for cache in [in_memory(10_000), in_folder(&folder, 10_000, "")] {
            assert!(found(&cache, "a").is_none());
            cache.put("a".into(), long(1));
            assert_eq!(
                cache.get("a".into(), Duration::from_mins(1)).unwrap().0,
                long(1)
            );
            std::thread::sleep(Duration::from_millis(5));
            assert!(cache.get("a".into(), Duration::from_millis(1)).is_none());
            cache.put("a".into(), long(2));
            assert_eq!(found(&cache, "a").unwrap(), long(2));
        }
    }

    #[test]
    fn the_room_is_bounded_and_what_is_used_stays() {
        let folder = tempfile::tempdir().unwrap();
        for cache in [in_memory(4_000), in_folder(&folder, 4_000, "")] {
            for byte in 0..100 {
                cache.put(byte.to_string(), long(byte));
                assert!(byte == 0 || found(&cache, "0").is_some(), "{byte}");
                let state = cache.lock();
                assert!(
                    state.bytes <= 4_000
                        && state.entries.len() == state.used.len()
                        && state.entries.len() <= 3
                );
            }
            cache.put("large".into(), vec![0; 5_000].into());
            assert!(found(&cache, "large").is_none() && found(&cache, "99").is_some());
        }
        let off = in_memory(0);
        off.put("a".into(), long(1));
        assert!(!off.is_on() && found(&off, "a").is_none());
    }

    #[test]
    fn a_folder_keeps_answers_for_the_next_service_with_the_same_settings() {
        let folder = tempfile::tempdir().unwrap();
        let files = || {
            std::fs::read_dir(folder.path().join("answers"))
                .unwrap()
                .count()
                - 2
        };
        let first = in_folder(&folder, 10_000, "public");
        for (byte, request) in (0..).zip(["a", "b", "c", "d"]) {
            first.put(request.into(), long(byte));
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(found(&first, "a").is_some() && files() == 4);
        drop(first);
        assert!(
            found(&in_folder(&folder, 10_000, "private"), "a").is_none(),
            "other settings"
        );
        // The limit is smaller now: of four answers, the two that were used last stay.
        let second = in_folder(&folder, 2_200, "public");
        let left: Vec<bool> = ["a", "b", "c", "d"]
            .iter()
            .map(|request| found(&second, request).is_some())
            .collect();
        assert_eq!((left, files()), (vec![true, false, false, true], 2));
        let age = second.get("a".into(), Duration::MAX).unwrap().1;
        assert!(age >= Duration::from_millis(30), "{age:?}");
        // A damaged file is a miss, and is removed.
        let path = folder.path().join("answers").join(second.key("a".into()));
        std::fs::write(&path, "damaged").unwrap();
        assert!(found(&second, "a").is_none() && !path.exists());
        second.put("a".into(), long(9));
        assert_eq!(found(&second, "a").unwrap(), long(9));
    }
}
