//! Order, limits, panics and endings of a batch.

use super::*;

fn numbers(count: usize) -> Vec<Item<usize>> {
    (0..count)
        .map(|content| Item {
            name: content.to_string(),
            content,
        })
        .collect()
}

/// Takes longer for even numbers, so that threads finish out of order.
#[allow(clippy::unnecessary_wraps)]
fn uneven(number: usize) -> Result<usize, String> {
    if number.is_multiple_of(2) {
        thread::sleep(Duration::from_millis(3));
    }
    Ok(number * number)
}

#[test]
fn results_come_in_input_order_for_any_number_of_jobs() {
    let collect = |jobs| {
        let mut results = Vec::new();
        let ending = run::<_, _, _, String>(
            numbers(40),
            jobs,
            None,
            Order::Input,
            &Stop::new(),
            uneven,
            |outcome| {
                results.push(outcome);
                ControlFlow::Continue(())
            },
        );
        assert_eq!(ending.unwrap(), Ending::Complete);
        results
    };
    let alone = collect(1);
    assert_eq!(alone.len(), 40);
    assert_eq!(
        alone[7],
        Outcome {
            name: "7".into(),
            result: Ok(49)
        }
    );
    assert_eq!(alone, collect(4));
    assert_eq!(alone, collect(0));
}

#[test]
fn no_more_work_than_jobs_and_no_more_input_than_needed() {
    let at_once = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let drawn = Arc::new(AtomicUsize::new(0));
    let delivered = Arc::new(AtomicUsize::new(0));
    let ahead = Arc::new(AtomicUsize::new(0));
    let items = numbers(200).into_iter().inspect({
        let (drawn, delivered, ahead) = (
            Arc::clone(&drawn),
            Arc::clone(&delivered),
            Arc::clone(&ahead),
        );
        move |_| {
            let lead = drawn.fetch_add(1, SeqCst) + 1 - delivered.load(SeqCst);
            ahead.fetch_max(lead, SeqCst);
        }
    });
    let work = {
        let (at_once, most) = (Arc::clone(&at_once), Arc::clone(&most));
        move |number| {
            most.fetch_max(at_once.fetch_add(1, SeqCst) + 1, SeqCst);
            // The first page hangs: later results must wait, and their number must stay
            // bounded.
            thread::sleep(Duration::from_millis(if number == 0 { 80 } else { 0 }));
            at_once.fetch_sub(1, SeqCst);
            Ok(number)
        }
    };
    run::<_, _, _, String>(items, 3, None, Order::Input, &Stop::new(), work, |_| {
        delivered.fetch_add(1, SeqCst);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(most.load(SeqCst) <= 3);
    assert_eq!(delivered.load(SeqCst), 200);
    // Items are in the queue, in the channel, and one in the thread that reads the items.
    assert!(
        ahead.load(SeqCst) <= 3 * WAITING_RESULTS + 3,
        "{}",
        ahead.load(SeqCst)
    );
}

#[test]
fn a_panic_is_the_error_of_its_item_only() {
    let mut results = Vec::new();
    let work = |number: usize| {
        assert!(number != 2, "number two\nsecond line");
        Ok(number)
    };
    run::<_, _, _, String>(
        numbers(5),
        2,
        None,
        Order::Input,
        &Stop::new(),
        work,
        |outcome| {
            results.push(outcome.result);
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 4);
    let error = results[2].as_ref().unwrap_err();
    assert!(
        error.contains("number two") && !error.contains('\n'),
        "{error}"
    );
}

#[test]
fn stopping_hands_over_running_work_and_begins_nothing_new() {
    let stop = Stop::new();
    let mut results = Vec::new();
    let ending = run::<_, _, _, String>(
        numbers(1000),
        2,
        None,
        Order::Input,
        &stop.clone(),
        |number| {
            thread::sleep(Duration::from_millis(1));
            Ok(number)
        },
        |outcome| {
            results.push(outcome.result.unwrap());
            if results.len() == 5 {
                stop.set();
            }
            ControlFlow::Continue(())
        },
    );
    assert_eq!(ending.unwrap(), Ending::Stopped);
    assert!(
        results.len() >= 5 && results.len() < 50,
        "{}",
        results.len()
    );
    assert!(
        results
            .iter()
            .enumerate()
            .all(|(index, &number)| index == number)
    );
}

#[test]
fn two_stages_work_at_the_same_time_and_keep_the_order() {
    for order in [Order::Input, Order::Finished] {
        let in_stages = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let both = Arc::new(AtomicUsize::new(0));
        let stage = |own: usize, most: usize| {
            let (in_stages, both) = (Arc::clone(&in_stages), Arc::clone(&both));
            move |number: usize| {
                assert!(in_stages[own].fetch_add(1, SeqCst) < most);
                thread::sleep(Duration::from_millis(2));
                both.fetch_add(usize::from(in_stages[1 - own].load(SeqCst) > 0), SeqCst);
                in_stages[own].fetch_sub(1, SeqCst);
                if number == 7 {
                    Err("seven".to_owned())
                } else {
                    Ok(number)
                }
            }
        };
        let mut results = Vec::new();
        let pools = Pools {
            first: 2,
            second: 1,
        };
        run_stages::<_, _, _, _, String>(
            numbers(30),
            pools,
            None,
            order,
            &Stop::new(),
            stage(0, 2),
            stage(1, 1),
            |outcome| {
                results.push((outcome.name.parse::<usize>().unwrap(), outcome.result));
                ControlFlow::Continue(())
            },
        )
        .unwrap();
        assert!(both.load(SeqCst) > 5, "the stages overlap");
        if order == Order::Finished {
            results.sort_by_key(|(name, _)| *name);
        }
        assert_eq!(results.len(), 30);
        for (number, (name, result)) in results.into_iter().enumerate() {
            assert_eq!(name, number);
            assert_eq!(
                result,
                if number == 7 {
                    Err("seven".to_owned())
                } else {
                    Ok(number)
                }
            );
        }
    }
}

#[test]
fn a_slow_item_does_not_delay_others_if_the_order_is_free() {
    let mut names = Vec::new();
    let work = |number: usize| {
        thread::sleep(Duration::from_millis(if number == 0 { 100 } else { 0 }));
        Ok(number)
    };
    run::<_, _, _, String>(
        numbers(60),
        2,
        None,
        Order::Finished,
        &Stop::new(),
        work,
        |outcome| {
            names.push(outcome.result.unwrap());
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert!(
        names.iter().position(|number| *number == 0).unwrap() > 10,
        "{names:?}"
    );
    names.sort_unstable();
    assert_eq!(names, (0..60).collect::<Vec<_>>());
}

#[test]
fn in_the_strict_order_nothing_follows_an_item_that_was_given_up() {
    for order in [Order::Strict, Order::Input] {
        let stop = Stop::new();
        let work = {
            let stop = stop.clone();
            move |number: usize| {
                if number == 4 {
                    stop.set();
                }
                thread::sleep(Duration::from_millis(if number == 2 { 4_000 } else { 0 }));
                Ok(number)
            }
        };
        let mut delivered = Vec::new();
        let ending = run::<_, _, _, String>(numbers(8), 2, None, order, &stop, work, |outcome| {
            delivered.push(outcome.result.unwrap());
            ControlFlow::Continue(())
        });
        assert_eq!(ending.unwrap(), Ending::Stopped);
        assert!(
            delivered.starts_with(&[0, 1]) && !delivered.contains(&2),
            "{delivered:?}"
        );
        assert_eq!(
            delivered.contains(&3),
            order == Order::Input,
            "{delivered:?}"
        );
    }
}

#[test]
fn a_receiver_that_wants_no_more_ends_the_batch() {
    let mut seen = 0;
    let ending = run::<_, _, _, String>(
        numbers(1000),
        2,
        None,
        Order::Input,
        &Stop::new(),
        Ok,
        |_| {
            seen += 1;
            if seen == 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    );
    assert_eq!(ending.unwrap(), Ending::Declined);
    assert_eq!(seen, 3);
}

#[test]
fn a_list_that_panics_is_an_error() {
    let items = numbers(3)
        .into_iter()
        .inspect(|item| assert!(item.content < 2, "broken list"));
    assert!(
        run::<_, _, _, String>(items, 1, None, Order::Input, &Stop::new(), Ok, |_| {
            ControlFlow::Continue(())
        })
        .is_err()
    );
}

#[test]
fn work_over_its_time_fails_and_the_others_go_on() {
    let work = |number: usize| {
        let slow = number == 1;
        thread::sleep(Duration::from_millis(if slow { 400 } else { 1 }));
        Ok(number)
    };
    let limit = Some(Duration::from_millis(60));
    let mut results = Vec::new();
    let ending = run::<_, _, _, String>(
        numbers(6),
        1,
        limit,
        Order::Input,
        &Stop::new(),
        work,
        |outcome| {
            results.push(outcome.result);
            ControlFlow::Continue(())
        },
    );
    assert_eq!(ending.unwrap(), Ending::Complete);
    let error = results[1].clone().unwrap_err();
    assert!(
        error.contains("took longer than 0.06 s") && error.contains("`timeout`"),
        "{error}"
    );
    let _ = results.remove(1);
    assert_eq!(results, [0, 2, 3, 4, 5].map(Ok));
}
