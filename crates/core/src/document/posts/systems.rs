//! The software of forums, questions and comments: how each marks its posts and their parts.
//! [`SYSTEMS`] has an entry for each; the last ones are schema.org, which many programs use, and
//! classes of no particular software.

use super::drupal;
use super::marks::{Index, Mark};
use crate::capture::Dom;
use crate::document::content::PostRole::{self, Answer, Comment, Post, Question};
use std::sync::LazyLock;

/// Marks that a software gives to posts. Of several marks for one thing, the first found counts.
#[derive(Debug)]
struct Description {
    /// True if only threads have these marks, so that the page is one; comments on articles have
    /// the other marks too.
    is_forum: bool,
    /// True for a vocabulary that many pages use, such as those that answer frequent questions, not
    /// for a particular software.
    is_general: bool,
    /// The condition under which a page is of this software, beside its marks.
    condition: fn(&Dom) -> bool,
    /// The elements of posts: their roles, each with its marks; the first on a page counts.
    posts: &'static [(PostRole, &'static [&'static str])],
    /// An element directly before that of a post which belongs to it.
    before: &'static str,
    authors: &'static [&'static str],
    dates: &'static [&'static str],
    bodies: &'static [&'static str],
    links: &'static [&'static str],
    votes: &'static [&'static str],
    accepted: &'static [&'static str],
    /// A link to the post that is answered.
    answers: &'static [&'static str],
}

const NONE: Description = Description {
    is_forum: true,
    is_general: false,
    condition: |_| true,
    posts: &[],
    before: "",
    authors: &[],
    dates: &[],
    bodies: &[],
    links: &[],
    votes: &[],
    accepted: &[],
    answers: &[],
};

/// Marks of schema.org and others that any software may use, tried after its own.
const AUTHORS: &[&str] = &["[itemprop=author]", "[itemprop=creator]", "[rel=author]"];
const DATES: &[&str] = &[
    "[itemprop=dateCreated]",
    "[itemprop=datePublished]",
    "[itemprop=commentTime]",
];
const BODIES: &[&str] = &[
    "[itemprop=text]",
    "[itemprop=articleBody]",
    "[itemprop=commentText]",
];
const VOTES: &[&str] = &["[itemprop=upvoteCount]"];
const ACCEPTED: &[&str] = &["[itemprop=acceptedAnswer]"];

const SYSTEMS: &[Description] = &[
    // Stack Exchange: questions, answers and comments.
    Description {
        posts: &[
            (
                Question,
                &[".question[data-questionid]", ".question.js-question"],
            ),
            (Answer, &[".answer[data-answerid]", ".answer.js-answer"]),
            (Comment, &[".comment[data-comment-id]"]),
        ],
        authors: &[".comment-user", "[itemprop=author]"],
        dates: &[".relativetime-clean", "[itemprop=dateCreated]"],
        bodies: &[".s-prose", ".js-post-body", ".post-text", ".comment-copy"],
        links: &[".js-share-link", ".short-link", ".comment-link"],
        votes: &[".js-vote-count", ".vote-count-post", ".comment-score"],
        accepted: &[".accepted-answer"],
        ..NONE
    },
    // Discourse, without and with its scripts.
    Description {
        posts: &[(
            Post,
            &[".crawler-post", "article[data-post-id]", ".topic-post"],
        )],
        authors: &[".creator", ".names", ".username"],
        dates: &[
            ".post-time",
            "[itemprop=datePublished]",
            ".post-date",
            ".relative-date",
        ],
        bodies: &[".cooked", "[itemprop=text]", "[itemprop=articleBody]"],
        links: &[".post-date"],
        votes: &["[itemprop=userInteractionCount]", ".like-count"],
        answers: &[".reply-to-tab"],
        ..NONE
    },
    // XenForo 2 and 1.
    Description {
        posts: &[(Post, &[".message--post", ".message[data-author]"])],
        authors: &[".message-name", ".username"],
        dates: &[".message-attribution-main", ".u-dt", ".DateTime"],
        bodies: &[".message-body", ".messageText"],
        links: &[
            ".message-attribution-main",
            ".datePermalink",
            ".message-attribution-gadget",
        ],
        votes: &[".js-voteCount"],
        accepted: &[".message--solution"],
        ..NONE
    },
    // vBulletin 5, 4 and 3.
    Description {
        posts: &[(
            Post,
            &[
                "li.b-post",
                "li.postcontainer",
                "li.postbitlegacy",
                "li.postbit",
                "table#post*",
                "div.tpost#post*",
                "div#edit*",
            ],
        )],
        authors: &[".author", ".username", ".bigusername", "#postmenu_*"],
        dates: &[
            "[itemprop=dateCreated]",
            ".b-post__timestamp",
            ".date",
            ".postdate",
            "td.thead",
            ".thead",
        ],
        bodies: &[
            ".js-post__content-text",
            "#post_message_*",
            ".postcontent",
            ".content",
        ],
        links: &[".b-post__count", ".postcounter", "#postcount*"],
        ..NONE
    },
    // Discuz!, a Chinese forum software.
    Description {
        posts: &[(Post, &["table#pid*", "div#post_*"])],
        authors: &[".xw1", ".author"],
        dates: &["#authorposton*"],
        bodies: &["#postmessage_*", ".t_f", ".message"],
        links: &["#postnum*"],
        ..NONE
    },
    // The forum software phpBB 3.
    Description {
        posts: &[(Post, &["div.post#p*", "div#p*", "div.post.has-profile"])],
        authors: &[".username", ".username-coloured"],
        dates: &["time", "p.author", ".author"],
        bodies: &[".content"],
        links: &["[href*=#p]"],
        accepted: &[".answer-accepted"],
        ..NONE
    },
    // Simple Machines Forum (SMF).
    Description {
        posts: &[(Post, &[".post_wrapper", ".windowbg#msg*"])],
        authors: &["h4", ".poster"],
        dates: &[
            ".smalltext[href*=msg]",
            ".keyinfo",
            ".postinfo",
            ".smalltext",
        ],
        bodies: &[".inner", "#msg_*", ".post"],
        links: &["[href*=#msg]"],
        ..NONE
    },
    // The forum software MyBB.
    Description {
        posts: &[(Post, &["div.post#post_*", "table#post_*"])],
        authors: &[".largetext", ".author_information", ".post_author"],
        dates: &[".post_date"],
        bodies: &[".post_body", ".post_content", "#pid_*"],
        links: &["[href*=pid]"],
        ..NONE
    },
    // Invision Community 5, 4 and 3.
    Description {
        posts: &[(
            Post,
            &[
                "article.ipsEntry",
                "article.ipsComment",
                ".post_block#post_id_*",
            ],
        )],
        authors: &[
            ".ipsEntry__username",
            ".cAuthorPane_author",
            ".ipsComment_author",
            ".author",
        ],
        dates: &[".ipsEntry__date", "time", "abbr.published"],
        bodies: &[
            "[data-role=commentContent]",
            ".ipsEntry__content",
            ".entry-content",
            ".ipsContained",
        ],
        links: &[
            ".ipsEntry__date",
            "[href*=findComment]",
            "[href*=comment=]",
            "[rel=bookmark]",
        ],
        accepted: &[".ipsEntry--solved", ".cPost_solved"],
        ..NONE
    },
    // The forum software NodeBB.
    Description {
        posts: &[(Post, &["[component=post]"])],
        authors: &["[data-username]"],
        dates: &[".timeago"],
        bodies: &["[component=post/content]"],
        links: &[".permalink"],
        votes: &["[component=post/vote-count]"],
        answers: &["[component=post/parent]"],
        ..NONE
    },
    // The forum software Flarum.
    Description {
        posts: &[(Post, &[".Post.CommentPost", "article.Post", ".Post"])],
        authors: &[".username", ".PostUser-name"],
        dates: &["time"],
        bodies: &[".Post-body"],
        answers: &[".PostMention"],
        ..NONE
    },
    // The forum software Vanilla.
    Description {
        posts: &[
            (Post, &[".ItemDiscussion"]),
            (Post, &[".ItemComment", ".Comment"]),
        ],
        authors: &[".Username", ".Author"],
        dates: &["time", ".DateCreated"],
        bodies: &[".Message"],
        links: &[".Permalink"],
        accepted: &[".QnA-Item-Accepted"],
        ..NONE
    },
    // bbPress, forums in WordPress.
    Description {
        posts: &[
            (
                Post,
                &["div.type-topic", "div.topic.hentry", "div.bbp-lead-topic"],
            ),
            (Post, &["div.bbp-reply", "div.type-reply", "div.reply"]),
        ],
        before: ".bbp-reply-header",
        authors: &[
            ".bbp-author-name",
            ".bbp-author-link",
            ".bbp-reply-author",
            ".bbp-topic-author",
            ".bbp-reply-post-name",
            ".bbp-thread-byline",
        ],
        dates: &[
            ".bbp-reply-post-date",
            ".bbp-topic-post-date",
            ".bbp-thread-byline",
        ],
        bodies: &[".bbp-reply-content", ".bbp-topic-content"],
        links: &[".bbp-reply-permalink", ".bbp-topic-permalink"],
        ..NONE
    },
    // Simple:Press, forums in WordPress.
    Description {
        posts: &[(Post, &[".spTopicPostSection"])],
        authors: &[".spPostUserName"],
        dates: &[".spPostUserDate"],
        bodies: &[".spPostContent"],
        links: &["#spPostIndexPermalink*"],
        ..NONE
    },
    // Kunena, forums in Joomla.
    Description {
        posts: &[(Post, &["div.row.message", "div.kmsg-body", "div.kmsg"])],
        authors: &[
            ".kwho-user",
            ".kwho-admin",
            ".kwho-moderator",
            ".kwho-guest",
        ],
        dates: &[".kdate"],
        bodies: &[".kmsg"],
        ..NONE
    },
    // The forum software Crowdstack (Hoop.la).
    Description {
        posts: &[(Post, &["article.post-box"])],
        authors: &[".post-box-byline"],
        dates: &["time"],
        bodies: &[".post-body"],
        ..NONE
    },
    // The forum software Homeland.
    Description {
        posts: &[(Post, &[".topic-detail"]), (Post, &["div.reply#reply*"])],
        authors: &["a.user-name"],
        dates: &[".timeago"],
        bodies: &[".markdown"],
        links: &["a.time"],
        ..NONE
    },
    // The forum software Khoros (Lithium).
    Description {
        posts: &[(
            Post,
            &[
                ".lia-message-view-wrapper",
                ".lia-message-view-forum-message",
                ".lia-forum-linear-view",
            ],
        )],
        authors: &[".lia-user-name-link", ".UserName"],
        dates: &[
            ".local-friendly-date",
            ".local-date",
            ".DateTime",
            ".lia-message-post-date",
        ],
        bodies: &[".lia-message-body-content", ".lia-message-body"],
        links: &[".lia-message-position-in-thread"],
        votes: &[".MessageKudosCount"],
        accepted: &[".lia-component-solution-info", ".lia-accepted-solution"],
        ..NONE
    },
    // Reddit: the present pages, and the old ones.
    Description {
        posts: &[(Post, &["shreddit-post"]), (Post, &["shreddit-comment"])],
        authors: &[".author-name", "[slot=authorName]"],
        dates: &["time"],
        bodies: &["[slot=text-body]", "[slot=comment]", ".md"],
        ..NONE
    },
    Description {
        posts: &[(Post, &[".thing.link"]), (Post, &[".thing.comment"])],
        authors: &["a.author"],
        dates: &["time"],
        bodies: &[".usertext-body"],
        links: &[".bylink"],
        votes: &[".score.unvoted"],
        ..NONE
    },
    // The news site Hacker News.
    Description {
        posts: &[
            (Post, &["table.fatitem"]),
            (Post, &["tr.comtr", "tr.athing"]),
        ],
        authors: &[".hnuser"],
        dates: &[".age"],
        bodies: &[".commtext", ".toptext"],
        links: &[".age"],
        votes: &[".score"],
        ..NONE
    },
    // The news site Lobsters.
    Description {
        posts: &[(Post, &["li.comments_subtree"])],
        authors: &[".u-author", "[href*=/~]"],
        dates: &["time", "[title]"],
        bodies: &[".comment_text"],
        links: &["[href*=/c/]", "[href*=#c_]"],
        votes: &[".upvoter", ".score"],
        ..NONE
    },
    // The news site Slashdot.
    Description {
        posts: &[(Post, &["li.comment#tree_*"])],
        authors: &[".by"],
        dates: &[".otherdetails"],
        bodies: &["#comment_body_*"],
        links: &[".otherdetails"],
        votes: &[".score"],
        ..NONE
    },
    // Issues of projects on GitHub.
    Description {
        posts: &[(Post, &[".timeline-comment", ".react-issue-comment"])],
        authors: &[".author"],
        dates: &["relative-time", "time-ago"],
        bodies: &[".comment-body", ".markdown-body"],
        links: &[".js-timestamp"],
        ..NONE
    },
    // Question sites with Askbot or OSQA.
    Description {
        posts: &[
            (Question, &[".question.post", ".post.question"]),
            (Answer, &[".answer.post", ".post.answer"]),
            (Comment, &[".comment#comment-*"]),
        ],
        authors: &[".user-info", ".user-card", ".author"],
        dates: &["abbr.timeago", ".timeago", ".age"],
        bodies: &[
            ".post-body",
            ".question-body",
            ".answer-body",
            ".comment-body",
        ],
        links: &[".permant-link", "[href*=#]"],
        votes: &[".vote-number", ".score"],
        accepted: &[".accepted-answer"],
        ..NONE
    },
    // Questions of WordPress sites (DW Question & Answer).
    Description {
        posts: &[
            (Question, &[".dwqa-question-item"]),
            (Answer, &[".dwqa-answer-item"]),
            (Comment, &[".dwqa-comment"]),
        ],
        authors: &[".dwqa-author", ".dwqa-question-meta", ".dwqa-answer-meta"],
        dates: &[".dwqa-date"],
        bodies: &[
            ".dwqa-question-content",
            ".dwqa-answer-content",
            ".dwqa-comment-content",
        ],
        votes: &[".dwqa-vote-count"],
        accepted: &[".dwqa-best-answer"],
        ..NONE
    },
    // Baidu: Tieba, and questions.
    Description {
        posts: &[(Post, &[".l_post"]), (Comment, &[".lzl_single_post"])],
        authors: &[".p_author_name", ".at"],
        dates: &[".lzl_time", ".tail-info"],
        bodies: &[".d_post_content", ".lzl_content_main"],
        ..NONE
    },
    Description {
        posts: &[
            (Question, &[".wgt-ask"]),
            (Answer, &[".wgt-best", ".bestanswer-wrap"]),
            (Answer, &[".wgt-answer-item", ".answer"]),
        ],
        authors: &[".wgt-replyer-all-uname", ".user-name", ".q-author"],
        dates: &[".wgt-replyer-all-time", ".answer-time"],
        bodies: &[
            ".best-text",
            ".con-all",
            ".answer-text",
            ".con",
            ".ask-title",
        ],
        accepted: &[".wgt-best", ".bestanswer-wrap"],
        ..NONE
    },
    // Disqus, comments embedded in other sites.
    Description {
        is_forum: false,
        posts: &[(Comment, &["li.post[id*=post-]"])],
        authors: &[".author", ".publisher-anchor-color"],
        dates: &[".time-ago", ".posted-meta"],
        bodies: &[".post-message"],
        links: &[".time-ago"],
        votes: &["[data-role=likes]"],
        ..NONE
    },
    // The forum of Drupal, whose articles have the same comments.
    Description {
        condition: drupal::is_forum,
        posts: &[
            (
                Post,
                &[
                    ".node-forum",
                    ".node--type-forum",
                    ".forum-post",
                    "div.node",
                    "article.node",
                ],
            ),
            (
                Post,
                &[
                    "div.comment",
                    "article.comment",
                    "li.comment",
                    "section.comment",
                ],
            ),
        ],
        authors: &[
            ".username",
            ".comment__author",
            ".author-name",
            ".author",
            ".submitted",
        ],
        dates: &[
            "time",
            ".comment__time",
            ".submitted",
            ".comment-date",
            ".post-date",
            ".date",
        ],
        bodies: &[
            ".field-name-comment-body",
            ".field--name-comment-body",
            ".field-name-body",
            ".field--name-body",
            ".comment__content",
            ".comment-content",
            ".comment-text",
            ".post-content",
            ".forum-post-content",
            ".content",
            ".node__content",
        ],
        links: &[".permalink", "[href*=#comment-]"],
        ..NONE
    },
    // WordPress, and similar software.
    Description {
        is_forum: false,
        posts: &[(
            Comment,
            &[
                "li.comment",
                "article.comment",
                "div.comment",
                ".comment-item",
            ],
        )],
        authors: &[
            ".fn",
            ".comment-author-name",
            ".comment-author",
            ".author",
            ".username",
        ],
        dates: &[
            "time",
            ".comment-metadata",
            ".comment-meta",
            ".submitted",
            ".comment-date",
            ".comment-time",
            ".date",
        ],
        bodies: &[
            ".comment-content",
            ".comment-text",
            ".content",
            ".comment_content",
            ".comment-body-text",
            ".comment-message",
        ],
        links: &[".comment-permalink", ".comment-date", "[href*=#comment-]"],
        votes: &[".vote-count", ".comment-votes", ".votes"],
        ..NONE
    },
    // The vocabulary of schema.org.
    Description {
        is_general: true,
        posts: &[
            (Post, &["[itemtype*=DiscussionForumPosting]"]),
            (Question, &["[itemtype*=schema.org/Question]"]),
            (Answer, &["[itemtype*=schema.org/Answer]"]),
            (
                Comment,
                &[
                    "[itemtype*=schema.org/Comment]",
                    "[itemtype*=schema.org/UserComments]",
                ],
            ),
        ],
        authors: &[
            "[itemprop=author]",
            "[itemprop=creator]",
            ".author",
            ".username",
        ],
        dates: &[
            "[itemprop=dateCreated]",
            "[itemprop=datePublished]",
            "time",
            ".date",
        ],
        links: &["[itemprop=url]"],
        accepted: &["[itemprop=acceptedAnswer]"],
        ..NONE
    },
];

/// Marks in posts of unknown software.
const UNKNOWN: Description = Description {
    is_forum: false,
    authors: &[
        "[itemprop=author]",
        "[rel=author]",
        ".post-author",
        ".post_author",
        ".author-name",
        ".nick",
        ".author",
        ".username",
        ".user-name",
        ".user_name",
        ".nickname",
        ".poster",
        "[class*=post-author]",
        "[href*=/user]",
        "[href*=/member]",
        "[href*=/profil]",
        "[href*=/u/]",
        "[href*=/people/]",
        "[href*=uid=]",
        "[href*=userid=]",
    ],
    dates: &[
        "[itemprop=dateCreated]",
        "[itemprop=datePublished]",
        "time",
        ".post-date",
        ".post_date",
        ".postdate",
        ".timeago",
        ".date",
        ".time",
    ],
    links: &[".permalink"],
    votes: &[".vote-count", ".votes"],
    ..NONE
};

/// A description whose marks have been read.
#[derive(Debug, Default)]
pub(super) struct System {
    pub(super) is_forum: bool,
    pub(super) is_general: bool,
    /// The condition under which a page is of this software; `None` for unknown software.
    pub(super) condition: Option<fn(&Dom) -> bool>,
    /// For each kind of element its role.
    pub(super) roles: Vec<PostRole>,
    pub(super) authors: Vec<Mark>,
    pub(super) dates: Vec<Mark>,
    pub(super) bodies: Vec<Mark>,
    pub(super) links: Vec<Mark>,
    pub(super) votes: Vec<Mark>,
    pub(super) accepted: Vec<Mark>,
    pub(super) answers: Vec<Mark>,
}

/// Where a mark of posts comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Origin {
    pub(super) system: usize,
    /// The number of its role, or [`BEFORE`].
    pub(super) slot: usize,
    /// Its place among the marks of that role.
    pub(super) rank: usize,
}

/// The slot of an element before a post.
pub(super) const BEFORE: usize = usize::MAX;

/// All systems, and the marks of their posts.
#[derive(Debug)]
pub(super) struct Systems {
    pub(super) all: Vec<System>,
    /// The description of posts of unknown software.
    pub(super) unknown: System,
    pub(super) index: Index,
    /// Origin of the mark with each number in the index.
    pub(super) origins: Vec<Origin>,
}

/// The systems; their marks are read once.
pub(super) static KNOWN: LazyLock<Systems> = LazyLock::new(|| {
    let mut known = Systems {
        all: Vec::new(),
        unknown: read(&UNKNOWN),
        index: Index::default(),
        origins: Vec::new(),
    };
    for (system, description) in SYSTEMS.iter().enumerate() {
        let before = Some((BEFORE, [description.before])).filter(|(_, [mark])| !mark.is_empty());
        let slots = description
            .posts
            .iter()
            .map(|(_, marks)| *marks)
            .enumerate();
        for (slot, marks) in slots.chain(before.iter().map(|(slot, marks)| (*slot, &marks[..]))) {
            for (rank, mark) in marks.iter().enumerate() {
                known.index.add(known.origins.len(), Mark::parse(mark));
                known.origins.push(Origin { system, slot, rank });
            }
        }
        known.all.push(read(description));
    }
    known
});

fn read(description: &Description) -> System {
    let marks = |own: &'static [&'static str], shared: &'static [&'static str]| {
        own.iter()
            .chain(shared)
            .map(|mark| Mark::parse(mark))
            .collect()
    };
    System {
        is_forum: description.is_forum,
        is_general: description.is_general,
        condition: Some(description.condition),
        roles: description.posts.iter().map(|(role, _)| *role).collect(),
        authors: marks(description.authors, AUTHORS),
        dates: marks(description.dates, DATES),
        bodies: marks(description.bodies, BODIES),
        links: marks(description.links, &[]),
        votes: marks(description.votes, VOTES),
        accepted: marks(description.accepted, ACCEPTED),
        answers: marks(description.answers, &[]),
    }
}
