//! Threads in the markup of each forum software, and what a person reads from them.

use super::{Options, PageCleaner};
use crate::emit::PostText;
use crate::page::Page;

const ONE: &str = "Herring gulls drop mussels on the rocks from a height that depends on how hard the shell is. How do they know?";
const TWO: &str = "They learn it by watching old birds for two or three winters, and steal what others have opened until then.";
const THREE: &str = "Thanks.";

/// The posts of a page with this body.
fn posts(body: &str) -> Vec<PostText> {
    let html = format!(
        "<html lang=en><head><title>How gulls eat - The Coast</title></head><body><header><nav><a href=/>Home</a> \
         <a href=/birds>Birds</a></nav></header><h1>How gulls eat</h1>{body}<footer><a href=/legal>Legal notice</a></footer></body></html>"
    );
    let page = Page {
        url: Some("https://a.example/t/1".into()),
        ..Page::from_html("x", html)
    };
    PageCleaner::new(&Options::default())
        .unwrap()
        .clean(&page)
        .unwrap()
        .posts()
}

/// The posts in lines: role, author, date, number of the answered post, votes, address, and the
/// text.
fn read(body: &str) -> String {
    let line = |post: PostText| {
        let text = |value: Option<String>| value.unwrap_or_else(|| "-".into());
        let number = |value: Option<i64>| text(value.map(|number| number.to_string()));
        format!(
            "{}{} {} {} {} {} {} {}\n",
            if post.accepted { "accepted " } else { "" },
            post.role.name(),
            text(post.author),
            text(post.date),
            number(post.parent.map(i64::from)),
            number(post.votes),
            text(post.url).replace("https://a.example", ""),
            post.text
                .trim_end()
                .replace('\n', " / ")
                .replace(ONE, "ONE")
                .replace(TWO, "TWO")
                .replace(THREE, "THREE"),
        )
    };
    posts(body).into_iter().map(line).collect()
}

#[test]
fn stack_exchange() {
    let owner = |name: &str, date: &str| {
        format!(
            "<div class=post-signature><div class=user-action-time>answered <span title='{date}' class=relativetime>May 3</span></div>\
             <div class=user-details itemprop=author itemscope itemtype='http://schema.org/Person'><a href=/users/1/x>{name}</a>\
             <span class=reputation-score>1,204</span><meta itemprop=name content='{name}'></div></div>"
        )
    };
    let post = |class: &str, key: &str, votes: u32, text: &str, name: &str, date: &str| {
        format!(
            "<div class='{class}' {key}><div class=votecell><div class=js-vote-count data-value={votes}>{votes}</div></div>\
             <div class=postcell><div class='s-prose js-post-body' itemprop=text><p>{text}</p></div>\
             <time itemprop=dateCreated datetime='{date}'></time><a class=js-share-link href=/q/{votes}>Share</a>{}</div>",
            owner(name, date)
        )
    };
    let comment = "<ul class=comments-list><li id=comment-7 class='comment js-comment' data-comment-id=7><div class=comment-score><span>4</span></div>\
        <div class=comment-text><span class=comment-copy>Do crows do this as well, or have they got another way of opening shells?</span> &ndash;&nbsp;<a class=comment-user href=/users/3>Cy</a>\
        <span class=comment-date><a class=comment-link href=#comment7_1><span title='2021-05-04 08:00:00Z, License: CC BY-SA' class=relativetime-clean>May 4</span></a></span></div></li></ul>";
    let page = post(
        "question js-question",
        "data-questionid=1",
        12,
        ONE,
        "Ann Lee",
        "2021-05-03 10:00:00Z",
    ) + comment
        + "</div><h2>1 Answer</h2>"
        + &post(
            "answer accepted-answer",
            "data-answerid=2 data-parentid=1",
            40,
            TWO,
            "Bo",
            "2021-05-03 11:30:00Z",
        )
        + "</div>";
    let read = read(&page);
    let mut lines = read.lines();
    assert_eq!(
        lines.next(),
        Some("question Ann Lee 2021-05-03T10:00:00Z - 12 /q/12 ONE"),
        "{read}"
    );
    assert_eq!(
        read.lines().last(),
        Some("accepted answer Bo 2021-05-03T11:30:00Z 0 40 /q/40 TWO"),
        "{read}"
    );
}

#[test]
fn discourse() {
    let post = |number: u32, name: &str, date: &str, text: &str| {
        format!(
            "<div id=post_{number} itemprop=comment itemscope itemtype='http://schema.org/Comment' class='topic-body crawler-post'>\
             <div class=crawler-post-meta><span class=creator itemprop=author itemscope itemtype='http://schema.org/Person'>\
             <a itemprop=url href=/u/{name}><span itemprop=name>{name}</span></a></span><span class=crawler-post-infos>\
             <time itemprop=datePublished datetime='{date}' class=post-time>May 3, 2021</time><span itemprop=position>{number}</span></span></div>\
             <div class=post itemprop=text>{text}</div></div>"
        )
    };
    let quote = format!(
        "<aside class=quote data-username=ann data-post=1><div class=title>ann:</div><blockquote><p>How do they know?</p></blockquote></aside><p>{TWO}</p>"
    );
    let page = post(1, "ann", "2021-05-03T10:00:00Z", &format!("<p>{ONE}</p>"))
        + &post(2, "bo", "2021-05-03T11:00:00Z", &quote)
        + &post(3, "ann", "2021-05-04T12:00:00Z", &format!("<p>{THREE}</p>"));
    let read = read(&page);
    let lines: Vec<&str> = read.lines().collect();
    assert_eq!(
        lines[0], "post ann 2021-05-03T10:00:00Z - - /t/1#post_1 ONE",
        "{read}"
    );
    assert!(
        lines[1].starts_with("post bo 2021-05-03T11:00:00Z 0 - /t/1#post_2 ")
            && lines[1].ends_with("TWO"),
        "{read}"
    );
    assert_eq!(
        lines[2], "post ann 2021-05-04T12:00:00Z - - /t/1#post_3 THREE",
        "{read}"
    );
}

#[test]
fn xenforo() {
    let post = |number: u32, name: &str, date: &str, text: &str| {
        format!(
            "<article class='message message--post js-post' data-author={name} data-content=post-{number} id=js-post-{number}><div class=message-inner>\
             <div class=message-user><h4 class=message-name><a href=/members/{name}.9/ class=username>{name}</a></h4><h5 class=userTitle>Well-known member</h5>\
             <dl><dt>Joined<dd>Mar 2, 2010</dl></div><div class=message-cell--main><header class=message-attribution>\
             <ul class=message-attribution-main><li><a href=/t/1/post-{number}><time class=u-dt datetime='{date}'>May 3, 2021</time></a></ul></header>\
             <article class='message-body js-selectToQuote'><div class=bbWrapper>{text}</div></article></div></div></article>"
        )
    };
    let quote = format!(
        "<blockquote class='bbCodeBlock bbCodeBlock--quote' data-quote=ann data-source='post: 11'><div class=bbCodeBlock-title>ann said:</div>\
         <div class=bbCodeBlock-content>How do they know?</div></blockquote>{TWO}"
    );
    let page = post(11, "ann", "2021-05-03T10:00:00+0000", ONE)
        + &post(12, "bo", "2021-05-03T11:00:00+0000", &quote)
        + &post(13, "cy", "2021-05-05T09:00:00+0000", THREE);
    let read = read(&page);
    let lines: Vec<&str> = read.lines().collect();
    assert_eq!(
        lines[0], "post ann 2021-05-03T10:00:00+0000 - - /t/1/post-11 ONE",
        "{read}"
    );
    assert!(
        lines[1].starts_with("post bo 2021-05-03T11:00:00+0000 0 - /t/1/post-12 ")
            && lines[1].ends_with(" / TWO"),
        "{read}"
    );
    assert_eq!(
        lines[2], "post cy 2021-05-05T09:00:00+0000 - - /t/1/post-13 THREE",
        "{read}"
    );
}

#[test]
fn vbulletin() {
    let old = |number: u32, name: &str, date: &str, text: &str| {
        format!(
            "<div id=edit{number}><table id=post{number} class=tborder><tr><td class=thead><a name=post{number}></a>{date}</td>\
             <td class=thead>#<a href='showthread.php?p={number}#post{number}' id=postcount{number}><strong>1</strong></a></td></tr>\
             <tr><td class=alt2><a class=bigusername href='member.php?u=3'>{name}</a><div class=smallfont>Senior Member</div><div>Join Date: Mar 2004</div><div>Posts: 310</div></td>\
             <td class=alt1><div id=post_message_{number}>{text}</div></td></tr></table></div>"
        )
    };
    let quote = format!(
        "<div class=smallfont>Quote:</div><table><tr><td class=alt2><div>Originally Posted by <strong>Ann Lee</strong></div><div>How do they know?</div></td></tr></table>{TWO}"
    );
    let page = old(5, "Ann Lee", "05-31-2010, 10:00 AM", ONE)
        + &old(6, "Bo", "06-13-2010, 11:00 AM", &quote)
        + &old(7, "Cy", "06-14-2010, 09:00 AM", THREE);
    let read = read(&page);
    let lines: Vec<&str> = read.lines().collect();
    assert_eq!(
        lines[0],
        "post Ann Lee 2010-05-31 - - /showthread.php?p=5#post5 ONE"
            .replace("/showthread", "/t/showthread"),
        "{read}"
    );
    assert!(
        lines[1].starts_with("post Bo 2010-06-13 ") && lines[1].ends_with(" / TWO"),
        "{read}"
    );
    assert_eq!(
        lines[2], "post Cy 2010-06-14 - - /t/showthread.php?p=7#post7 THREE",
        "{read}"
    );
}

#[test]
fn phpbb() {
    let post = |number: u32, name: &str, date: &str, text: &str| {
        format!(
            "<div id=p{number} class='post has-profile bg1'><div class=inner><dl class=postprofile><dt><a href='./memberlist.php?u=3' class=username>{name}</a>\
             <dd class=profile-posts><strong>Posts:</strong> 310<dd class=profile-joined><strong>Joined:</strong> Mon Mar 01, 2004 9:00 am</dl>\
             <div class=postbody><h3><a href='#p{number}'>Re: How gulls eat</a></h3><p class=author><a href='./viewtopic.php?p={number}#p{number}'>Post</a> by <strong><a class=username href='./memberlist.php?u=3'>{name}</a></strong> &raquo; {date}</p>\
             <div class=content>{text}</div><div class=signature>Birds are fun</div></div></div></div>"
        )
    };
    let quote = format!(
        "<blockquote><div><cite>Ann Lee wrote: <a href='./viewtopic.php?p=21#p21'>\u{2191}</a></cite>How do they know?</div></blockquote>{TWO}"
    );
    let page = post(21, "Ann Lee", "Mon May 31, 2010 10:00 am", ONE)
        + &post(22, "Bo", "Sun Jun 13, 2010 11:00 am", &quote)
        + &post(23, "Cy", "Mon Jun 14, 2010 11:00 am", THREE);
    let read = read(&page);
    let lines: Vec<&str> = read.lines().collect();
    assert_eq!(
        lines[0], "post Ann Lee 2010-05-31 - - /t/1#p21 ONE",
        "{read}"
    );
    assert!(
        lines[1].starts_with("post Bo 2010-06-13 0 - ") && lines[1].ends_with(" / TWO"),
        "{read}"
    );
    assert_eq!(lines[2], "post Cy 2010-06-14 - - /t/1#p23 THREE", "{read}");
}

#[test]
fn reddit_and_hacker_news() {
    let comment = |id: &str, name: &str, votes: i32, text: &str, inner: &str| {
        format!(
            "<div class='thing comment' id=thing_t1_{id} data-fullname=t1_{id} data-author={name} data-permalink=/r/b/1/{id}/><div class=entry><p class=tagline>\
             <a class=author href=/user/{name}>{name}</a> <span class='score dislikes' title={votes}>{votes}</span><span class='score unvoted' title={votes}>{votes} points</span>\
             <time title='Mon May 3' datetime='2021-05-03T10:00:00+00:00'>2 years ago</time></p>\
             <div class='usertext-body'><div class=md><p>{text}</p></div></div><ul class=buttons><li><a class=bylink href=/r/b/1/{id}/>permalink</a></ul></div>\
             <div class=child>{inner}</div></div>"
        )
    };
    let page = comment("aa", "ann", 12, ONE, &comment("bb", "bo", -3, TWO, ""))
        + &comment("cc", "cy", 1, THREE, "");
    assert_eq!(
        read(&page),
        "post ann 2021-05-03T10:00:00+00:00 - 12 /r/b/1/aa/ ONE\npost bo 2021-05-03T10:00:00+00:00 0 -3 /r/b/1/bb/ TWO\n\
         post cy 2021-05-03T10:00:00+00:00 - 1 /r/b/1/cc/ THREE\n"
    );
    let row = |id: u32, indent: u32, name: &str, text: &str| {
        format!(
            "<tr class='athing comtr' id={id}><td><table><tr><td class=ind indent={indent}></td><td class=default><div><span class=comhead>\
             <a href='user?id={name}' class=hnuser>{name}</a> <span class=age title='2021-05-03T10:00:00'><a href='item?id={id}'>3 days ago</a></span>\
             <span class=navs>| <a href='#{id}'>next</a></span></span></div><div class=comment><div class=commtext>{text}</div><div class=reply>reply</div></div></td></tr></table></td></tr>"
        )
    };
    let page = format!(
        "<table class=comment-tree>{}{}{}</table>",
        row(31, 0, "ann", ONE),
        row(32, 1, "bo", TWO),
        row(33, 0, "cy", THREE)
    );
    assert_eq!(
        read(&page),
        "post ann 2021-05-03T10:00:00 - - /t/item?id=31 ONE\npost bo 2021-05-03T10:00:00 0 - /t/item?id=32 TWO\n\
         post cy 2021-05-03T10:00:00 - - /t/item?id=33 THREE\n"
    );
}

#[test]
fn chinese_boards() {
    let one = "海鸥把贻贝从高处扔到岩石上，高度取决于贝壳有多硬，它们很少需要尝试两次以上才能把贝壳打碎。它们是怎么知道的呢？";
    let two = "幼鸟在两三个冬天里通过观察老鸟来学习，在那之前它们会偷别的鸟打开的贝壳，或者吃潮水留在悬崖下面海滩上的东西。";
    let post = |number: u32, name: &str, date: &str, text: &str| {
        format!(
            "<div id=post_{number}><table id=pid{number} class=plhin><tr><td class=pls><div class=authi><a href='home.php?mod=space&amp;uid=3' class=xw1>{name}</a></div><p>注册时间 2009-1-1</p></td>\
             <td class=plc><div class=authi><em id=authorposton{number}>发表于 <span title='{date}'>前天 10:00</span></em></div><strong><a href='forum.php?mod=redirect&amp;pid={number}' id=postnum{number}>1#</a></strong>\
             <div class=pct><table><tr><td class=t_f id=postmessage_{number}>{text}</td></tr></table></div></td></tr></table></div>"
        )
    };
    let page = post(41, "小安", "2013-5-3 10:00:12", one)
        + &post(42, "老波", "2013-5-4 11:00:00", two)
        + &post(43, "陈", "2013-5-5 11:00:00", "谢谢楼主。");
    let found = posts(&page);
    let rows: Vec<_> = found
        .iter()
        .map(|post| {
            (
                post.author.as_deref(),
                post.date.as_deref(),
                post.text.trim_end(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (Some("小安"), Some("2013-05-03"), one),
            (Some("老波"), Some("2013-05-04"), two),
            (Some("陈"), Some("2013-05-05"), "谢谢楼主。")
        ]
    );
}

#[test]
fn microdata_and_described_answers() {
    let described = format!(
        r#"<script type="application/ld+json">{{"@context":"https://schema.org","@type":"QAPage","mainEntity":{{"@type":"Question","text":"{ONE}",
        "author":{{"@type":"Person","name":"Ann Lee"}},"dateCreated":"2021-05-03T10:00:00Z","upvoteCount":3,
        "acceptedAnswer":{{"@type":"Answer","text":"{TWO}","author":{{"name":"Bo"}},"dateCreated":"2021-05-04T10:00:00Z","url":"https://a.example/t/1#a2"}}}}}}</script>"#
    );
    let post = |kind: &str, text: &str| {
        format!(
            "<div itemscope itemtype='https://schema.org/{kind}'><div itemprop=text><p>{text}</p></div></div>"
        )
    };
    let page = described + &post("Question", ONE) + &post("Answer", TWO);
    assert_eq!(
        read(&page),
        "question Ann Lee 2021-05-03T10:00:00Z - 3 - ONE\naccepted answer Bo 2021-05-04T10:00:00Z 0 - /t/1#a2 TWO\n"
    );
}

#[test]
fn an_article_with_comments_is_no_thread() {
    let page = format!(
        "<article><p>{ONE} {TWO}</p><p>{TWO} {ONE}</p><p>{ONE}</p></article><ol class=commentlist><li class=comment id=comment-1>\
         <cite class=fn>Ann</cite> <time datetime=2021-05-03>May 3</time><div class=comment-content><p>{TWO}</p></div></li></ol>"
    );
    assert!(posts(&page).is_empty());
}
