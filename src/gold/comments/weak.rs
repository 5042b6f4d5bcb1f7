//! Weak labels for training: comments by the markup of well-known comment systems.

use super::comment_systems::{in_comment_systems, may_have_comments};
use super::knowledge::CommentKnowledge;
use crate::capture::Dom;
use crate::classify::Label;
use crate::gold::labelling::Labelling;
use crate::target::Target;

/// Weak labels: boilerplate that lies in a well-known comment system is labelled as comments. The comments of a page
/// count as weakly known where such a target is found, or where no name in its markup speaks of comments.
pub(in crate::gold) fn weak_labels(labelling: &mut Labelling, dom: &Dom, targets: &[Target]) {
    let mut found = false;
    for (label, is_inside) in labelling.labels.iter_mut().zip(in_comment_systems(dom, targets)) {
        if is_inside {
            // Content in a comment system, such as the posts of a forum, is known to be no comment too.
            found = true;
            if *label == Some(Label::Boilerplate) {
                *label = Some(Label::Comments);
            }
        }
    }
    if found || !may_have_comments(dom) {
        labelling.comments = CommentKnowledge::Weak;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::labelling::Quality;
    use crate::page::Page;
    use crate::target::{TargetRule, select};
    use Label::{Boilerplate, Comments, Content};

    fn weakly(html: &str, of: impl Fn(usize) -> Label) -> (Vec<Label>, CommentKnowledge) {
        let capture = crate::page::parse(&Page::from_html("page", html)).unwrap();
        let targets = select(&capture, TargetRule::default());
        let labels = (0..targets.len()).map(|target| Some(of(target))).collect();
        let scores = vec![0.0; targets.len()];
        let mut labelling =
            Labelling { labels, scores, quality: Quality::default(), comments: CommentKnowledge::Unknown };
        weak_labels(&mut labelling, &capture.dom, &targets);
        (labelling.labels.into_iter().flatten().collect(), labelling.comments)
    }

    #[test]
    fn weak_labels_are_given_to_boilerplate_only() {
        let html = "<p>post</p><ol class=commentlist><li>one</li><li>two</li></ol><footer>legal</footer>";
        let of = |target| if target < 2 { Content } else { Boilerplate };
        assert_eq!(weakly(html, of), (vec![Content, Content, Comments, Boilerplate], CommentKnowledge::Weak));
        let silent = weakly("<p>post</p><div class=teasers>other</div>", of);
        assert_eq!(silent, (vec![Content, Content], CommentKnowledge::Weak));
        let doubtful = weakly("<p>post</p><div class=user-comments-box>other</div>", of);
        assert_eq!(doubtful.1, CommentKnowledge::Unknown);
    }
}
