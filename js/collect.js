// Walks the flat tree of one document and stores its elements and text nodes for color.js, without
// changing anything. Called in an isolated world, so that the page's scripts cannot see or change
// it.
//
// Arguments: one node from inside each closed shadow tree, since the walk cannot enter these trees
// from the document.
// Returns one number per text node, in document order: a fingerprint that identifies the text node
// in the snapshot.
function collect(...shadowNodes) {
  const closed = new Map();
  for (const node of shadowNodes) {
    const root = node && node.getRootNode();
    if (root && root.host) closed.set(root.host, root);
  }
  const elements = [];
  const parents = [];
  const roots = [];
  const texts = [];
  const textParents = [];
  const keys = [];
  const fingerprint = (data) => {
    const length = data.length;
    let hash = length;
    const head = Math.min(length, 16);
    for (let i = 0; i < head; i++) hash = (Math.imul(hash, 31) + data.charCodeAt(i)) | 0;
    for (let i = Math.max(head, length - 16); i < length; i++) hash = (Math.imul(hash, 31) + data.charCodeAt(i)) | 0;
    return hash;
  };
  const waiting = [document];
  const above = [-1];
  while (waiting.length) {
    const node = waiting.pop();
    const parent = above.pop();
    if (node.nodeType === 3) {
      texts.push(node);
      textParents.push(parent);
      keys.push(fingerprint(node.data));
      continue;
    }
    let inside = parent;
    let holder = node;
    if (node.nodeType === 1) {
      inside = elements.length;
      elements.push(node);
      parents.push(parent);
      const root = node.shadowRoot || closed.get(node);
      if (root) {
        roots.push(root);
        holder = root;
      } else if (node.localName === 'slot' && node.assignedNodes) {
        const assigned = node.assignedNodes();
        if (assigned.length) {
          for (let i = assigned.length - 1; i >= 0; i--) {
            waiting.push(assigned[i]);
            above.push(inside);
          }
          continue;
        }
      }
    } else if (node.nodeType !== 9) {
      continue;
    }
    for (let child = holder.lastChild; child; child = child.previousSibling) {
      waiting.push(child);
      above.push(inside);
    }
  }
  globalThis.vclean = { elements, parents, roots, texts, textParents };
  return keys;
}
