// The moves that were tried out from one position, as a tree: a main line, and variations that branch off.

let made = 0;

export class MoveNode {
  /** `ply` has the move, its name, and who made it; null at the root. */
  constructor(ply = null, parent = null) {
    this.id = ++made;
    this.ply = ply;
    this.parent = parent;
    this.children = []; // the main line goes on with the first
    this.position = null; // what the server says of it, once it was asked
  }

  /** The nodes from the root, which is left out, to this one. */
  get path() {
    return this.parent ? [...this.parent.path, this] : [];
  }

  get moves() {
    return this.path.map(({ ply }) => ply.move);
  }

  /** The node after a move: the one there is, or a new variation. */
  after(ply) {
    const known = this.children.find((child) => child.ply.move === ply.move);
    if (known) return known;
    const child = new MoveNode(ply, this);
    this.children.push(child);
    return child;
  }

  /** The last node of the line that goes on from here. */
  get end() {
    return this.children[0]?.end ?? this;
  }

  get isMain() {
    return !this.parent || (this.parent.children[0] === this && this.parent.isMain);
  }

  /** Make the variation that this node is on the main line, all the way from the root. */
  promote() {
    for (const node of this.path) {
      const { children } = node.parent;
      children.unshift(...children.splice(children.indexOf(node), 1));
    }
  }

  /** Take this node and all that follows away; the node before it. */
  remove() {
    const { children } = this.parent;
    children.splice(children.indexOf(this), 1);
    return this.parent;
  }

  /** The variation beside this one, before (−1) or after (1) it. */
  sibling(way) {
    const { children } = this.parent ?? { children: [] };
    return children[children.indexOf(this) + way];
  }
}
