//! A folder of jobs, from which a later service continues them. Each job is a file of JSON lines:
//! first the request, then a line for each page that is done, with its result, and at last the end.
//! A line counts once it is whole and on disk; an incomplete one is cut off, and its page is loaded
//! again. So no page is lost and none has two results.

use super::own_folder::{FolderError, OwnFolder, Purpose, make_private};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use vclean_core::files::open_regular;

const PURPOSE: Purpose = Purpose {
    option: "jobs_dir",
    mark: (
        "VCLEAN-JOBS",
        "The jobs of `vclean serve`. They may be removed while it does not run.\n",
    ),
};
/// Ending of the name of a job's file.
const ENDING: &str = "jsonl";

/// Options of the jobs.
#[derive(Debug, Clone)]
pub struct JobOptions {
    /// How long results are kept once a job has ended.
    pub kept: Duration,
    /// Folder for jobs, from which the next service continues them; `None` keeps them in memory
    /// only.
    pub folder: Option<PathBuf>,
}

impl Default for JobOptions {
    fn default() -> Self {
        Self {
            kept: Duration::from_hours(1),
            folder: None,
        }
    }
}

/// Kind of work of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// The job follows the links of a site.
    Crawl,
    /// The job loads a list of addresses.
    Batch,
}

/// Status of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Scraping,
    /// All of its pages are done.
    Completed,
    Cancelled,
    /// The job could not continue.
    Failed,
}

impl Status {
    pub(super) const ALL: [Self; 4] = [
        Self::Scraping,
        Self::Completed,
        Self::Cancelled,
        Self::Failed,
    ];

    /// The name of the status in answers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Scraping => "scraping",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }
}

/// A page of a job that has no result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PageError {
    pub(super) url: String,
    pub(super) cause: String,
    pub(super) time: SystemTime,
    /// True if `robots.txt` forbids the page.
    pub(super) is_robots: bool,
}

/// A page of a job that is done.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DonePage {
    /// The number of the page in its list, or its address in a crawl.
    pub(super) key: String,
    /// Address and links of a page of a crawl.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) found: Option<Found>,
    /// The result, unless the page was left out or has none.
    #[serde(default, serialize_with = "write_raw", deserialize_with = "read_raw")]
    pub(super) result: Option<Arc<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<PageError>,
}

#[allow(clippy::ref_option)] // As serde calls it.
fn write_raw<S: Serializer>(raw: &Option<Arc<RawValue>>, serializer: S) -> Result<S::Ok, S::Error> {
    raw.as_deref().serialize(serializer)
}

fn read_raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<RawValue>>, D::Error> {
    let raw: Option<Box<RawValue>> = Deserialize::deserialize(deserializer)?;
    Ok(raw.map(Arc::from))
}

/// Address and links of a page of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Found {
    /// Where the page was loaded from, if it was.
    pub(super) address: Option<String>,
    /// Addresses that the site announces, on its first page.
    pub(super) announced: Vec<String>,
    pub(super) links: Vec<String>,
}

/// The beginning of a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) version: u32,
    pub(super) id: String,
    pub(super) kind: Kind,
    /// The first address of a crawl.
    pub(super) start: String,
    /// The hash of the token that the request had.
    pub(super) owner: Option<String>,
    pub(super) begun: SystemTime,
    /// The request that started the job.
    pub(super) order: Value,
}

/// Number of the format of the files.
pub(super) const VERSION: u32 = 1;

/// The end of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct End {
    pub(super) status: Status,
    /// Number of pages that were known.
    pub(super) total: u64,
    pub(super) warning: Option<String>,
    pub(super) time: SystemTime,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Job(Head),
    Page(DonePage),
    End(End),
}

/// A job of an earlier service.
#[derive(Debug)]
pub(super) struct StoredJob {
    pub(super) head: Head,
    pub(super) pages: Vec<DonePage>,
    /// `None` if it has not ended.
    pub(super) end: Option<End>,
    pub(super) log: JobLog,
}

/// The folder, which no other service uses.
#[derive(Debug)]
pub(super) struct JobFolder {
    folder: OwnFolder,
}

impl JobFolder {
    /// Creates the folder or opens it. Also returns the jobs in it; damaged files are left alone
    /// and named by `complain`.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub(super) fn open(
        path: &Path,
        complain: impl Fn(&str),
    ) -> Result<(Self, Vec<StoredJob>), FolderError> {
        let folder = OwnFolder::open(path, PURPOSE)?;
        let failed = |cause: io::Error| FolderError {
            path: path.to_path_buf(),
            option: PURPOSE.option,
            fault: cause.into(),
        };
        let mut jobs = Vec::new();
        for entry in fs::read_dir(folder.path()).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_none_or(|ending| ending != ENDING) {
                continue;
            }
            match read(&path) {
                Ok(job) => jobs.push(job),
                Err(cause) => complain(&format!(
                    "the job in {} cannot be read ({cause}); remove the file",
                    path.display()
                )),
            }
        }
        jobs.sort_by_key(|job| job.head.begun);
        Ok((Self { folder }, jobs))
    }

    fn at(&self, id: &str) -> PathBuf {
        self.folder.path().join(id).with_extension(ENDING)
    }

    /// Begins the file of a job.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn begin(&self, head: Head) -> io::Result<JobLog> {
        let path = self.at(&head.id);
        let file = File::options().write(true).create_new(true).open(path)?;
        make_private(&file)?;
        let log = JobLog(Mutex::new(file));
        log.append(&Line::Job(head))?;
        Ok(log)
    }

    /// Removes the file of a job.
    pub(super) fn remove(&self, id: &str) {
        // If removing fails, the job expires again when the next service starts.
        let _ = fs::remove_file(self.at(id));
    }
}

/// The file of a job.
#[derive(Debug)]
pub(super) struct JobLog(Mutex<File>);

impl JobLog {
    /// Writes a page that is done.
    ///
    /// # Errors
    /// Those of the system; nothing of the page is then in the file.
    pub(super) fn page(&self, page: DonePage) -> io::Result<()> {
        self.append(&Line::Page(page))
    }

    /// Writes the end of the job.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn end(&self, end: End) -> io::Result<()> {
        self.append(&Line::End(end))
    }

    fn append(&self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = file.stream_position()?;
        file.write_all(&text)
            .and_then(|()| file.sync_data())
            .or_else(|cause| {
                file.set_len(before)?;
                file.seek(SeekFrom::Start(before))?;
                Err(cause)
            })
    }
}

/// Reads the file of a job, and cuts off what follows its last whole line.
fn read(path: &Path) -> io::Result<StoredJob> {
    // It is a file, and no pipe.
    open_regular(path)?;
    let mut file = File::options().read(true).write(true).open(path)?;
    let (mut reader, mut line, mut valid) = (BufReader::new(&file), Vec::new(), 0);
    let (mut head, mut pages, mut end) = (None, Vec::new(), None);
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        let whole = line.strip_suffix(b"\n");
        match whole.and_then(|line| serde_json::from_slice(line).ok()) {
            Some(Line::Job(found)) if found.version == VERSION => head = Some(found),
            Some(Line::Job(found)) => {
                return Err(io::Error::other(format!("format {}", found.version)));
            }
            Some(Line::Page(page)) => pages.push(page),
            Some(Line::End(found)) => end = Some(found),
            None => break,
        }
        valid += length as u64;
    }
    let head = head.ok_or_else(|| io::Error::other("it has no request"))?;
    file.set_len(valid)?;
    file.seek(SeekFrom::Start(valid))?;
    let log = JobLog(Mutex::new(file));
    Ok(StoredJob {
        head,
        pages,
        end,
        log,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::os::unix::fs::MetadataExt;

    fn page(key: &str) -> DonePage {
        DonePage {
            key: key.to_owned(),
            found: Some(Found {
                links: vec!["https://a.example/b".into()],
                ..Found::default()
            }),
            result: Some(
                RawValue::from_string("{\"markdown\":\"gulls\\n\"}".into())
                    .unwrap()
                    .into(),
            ),
            error: None,
        }
    }

    #[test]
    fn a_job_is_read_up_to_its_last_whole_line() {
        let parent = tempfile::tempdir().unwrap();
        let (folder, _) = JobFolder::open(parent.path(), |_| ()).unwrap();
        let head = Head {
            version: VERSION,
            id: "0a".into(),
            kind: Kind::Batch,
            start: String::new(),
            owner: Some("hash".into()),
            begun: SystemTime::now(),
            order: json!({"list": [1]}),
        };
        let log = folder.begin(head.clone()).unwrap();
        assert!(folder.begin(head).is_err(), "there is one with this id");
        log.page(page("0")).unwrap();
        log.page(page("1")).unwrap();
        drop((log, folder));
        let path = parent.path().join("0a.jsonl");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        let whole = fs::read(&path).unwrap();
        let lines: Vec<usize> = whole
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1)
            .collect();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let (_, jobs) = JobFolder::open(parent.path(), |_| ()).unwrap();
            let found = jobs.first().map(|job| job.pages.len());
            let expected = lines.iter().filter(|end| **end <= length).count();
            assert_eq!(found, expected.checked_sub(1), "{length} bytes");
        }
        fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        let (_, jobs) = JobFolder::open(parent.path(), |_| ()).unwrap();
        let end = End {
            status: Status::Completed,
            total: 2,
            warning: None,
            time: SystemTime::now(),
        };
        jobs[0].log.page(page("2")).unwrap();
        jobs[0].log.end(end.clone()).unwrap();
        drop(jobs);
        let (folder, jobs) = JobFolder::open(parent.path(), |_| ()).unwrap();
        let keys: Vec<&str> = jobs[0].pages.iter().map(|page| page.key.as_str()).collect();
        assert_eq!((keys, jobs[0].end.as_ref()), (vec!["0", "2"], Some(&end)));
        assert_eq!(jobs[0].pages[1].found, page("").found);
        assert_eq!(
            jobs[0].pages[0].result.as_ref().unwrap().get(),
            "{\"markdown\":\"gulls\\n\"}"
        );
        folder.remove("0a");
        assert!(!path.exists());
    }

    #[test]
    fn damaged_files_are_named_and_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        drop(JobFolder::open(parent.path(), |_| ()).unwrap());
        let path = parent.path().join("bad.jsonl");
        fs::write(&path, "{}\n").unwrap();
        let told = Mutex::new(String::new());
        let (_, jobs) =
            JobFolder::open(parent.path(), |text| *told.lock().unwrap() = text.into()).unwrap();
        assert!(jobs.is_empty() && path.exists());
        assert!(told.lock().unwrap().contains("bad.jsonl"));
    }
}
