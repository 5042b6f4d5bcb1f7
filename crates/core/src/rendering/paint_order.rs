//! The order in which the nodes of a page are painted (CSS 2.1, appendix E). Each stacking context
//! paints first its layers with a negative z-index, then its flow, then positioned layers, then
//! layers with a positive z-index.
//!
//! Floats are painted with the flow, since they rarely overlap other boxes.

/// The role of a node in painting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stacking {
    /// True if the node is painted as a whole, after the flow around it: it is positioned, or a
    /// stacking context.
    pub(super) is_layer: bool,
    /// True if positioned nodes inside it are painted within it.
    pub(super) is_context: bool,
    /// The z-index of the node; 0 for `auto`.
    pub(super) z_index: i32,
}

/// Returns the nodes in painting order. `parents` has the parent of each node, which comes before
/// it; the root is its own parent.
pub(super) fn paint_order(parents: &[usize], stacking: &[Stacking]) -> Vec<usize> {
    let count = parents.len();
    let mut flows: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut layers: Vec<Vec<(i32, usize)>> = vec![Vec::new(); count];
    // The layer and the stacking context that contain each node.
    let mut holders = vec![(0, 0); count];
    for index in 1..count {
        let (layer, context) = holders[parents[index]];
        if stacking[index].is_layer {
            layers[context].push((stacking[index].z_index, index));
            let inner = if stacking[index].is_context {
                index
            } else {
                context
            };
            holders[index] = (index, inner);
        } else {
            flows[layer].push(index);
            holders[index] = (layer, context);
        }
    }
    let mut order = Vec::with_capacity(count);
    let mut pending = vec![Pending::Layer(0)];
    while let Some(next) = pending.pop() {
        match next {
            Pending::Flow(layer) => order.append(&mut flows[layer]),
            Pending::Layer(layer) => {
                order.push(layer);
                let mut inner = std::mem::take(&mut layers[layer]);
                // The sort is stable, so equal layers stay in the order of the tree.
                inner.sort_by_key(|&(z_index, _)| z_index);
                let above = inner.partition_point(|&(z_index, _)| z_index < 0);
                // The last pushed item is painted first.
                pending.extend(
                    inner[above..]
                        .iter()
                        .rev()
                        .map(|&(_, index)| Pending::Layer(index)),
                );
                pending.push(Pending::Flow(layer));
                pending.extend(
                    inner[..above]
                        .iter()
                        .rev()
                        .map(|&(_, index)| Pending::Layer(index)),
                );
            }
        }
    }
    order
}

/// The next item to be painted.
enum Pending {
    Layer(usize),
    Flow(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOW: Stacking = Stacking {
        is_layer: false,
        is_context: false,
        z_index: 0,
    };

    fn layer(z_index: i32) -> Stacking {
        Stacking {
            is_layer: true,
            is_context: true,
            z_index,
        }
    }

    #[test]
    fn layers_are_painted_below_and_above_the_flow() {
        // The root contains 1 (above), 2 (flow) with 3 in it, 4 (below) and 5 (positioned).
        let stacking = [
            layer(0),
            layer(2),
            FLOW,
            FLOW,
            layer(-1),
            Stacking {
                is_context: false,
                ..layer(0)
            },
        ];
        assert_eq!(
            paint_order(&[0, 0, 0, 2, 0, 0], &stacking),
            [0, 4, 2, 3, 5, 1]
        );
    }

    #[test]
    fn what_is_in_a_context_stays_in_it() {
        let inner =
            |outer: Stacking| paint_order(&[0, 0, 1, 0], &[layer(0), outer, layer(9), layer(1)]);
        assert_eq!(inner(layer(0)), [0, 1, 2, 3]);
        assert_eq!(
            inner(Stacking {
                is_context: false,
                ..layer(0)
            }),
            [0, 1, 3, 2],
            "it is no context"
        );
    }

    #[test]
    fn every_node_is_painted_once_however_deep() {
        let parents: Vec<usize> = (0..50_000usize)
            .map(|index| index.saturating_sub(1))
            .collect();
        let mut order = paint_order(&parents, &vec![layer(-1); parents.len()]);
        order.sort_unstable();
        assert_eq!(order, (0..parents.len()).collect::<Vec<_>>());
    }
}
