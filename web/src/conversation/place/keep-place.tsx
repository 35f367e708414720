/** Holds what the reader looks at where it is, while something is put in above it. */
import { Component, type ReactNode, type RefObject } from "react";

interface Props {
  /** Changes when something came above. */
  first: string;
  box: RefObject<HTMLElement | null>;
  children: ReactNode;
}

interface Held {
  element: Element;
  top: number;
}

export class KeepPlace extends Component<Props> {
  override getSnapshotBeforeUpdate(before: Props): Held | null {
    return before.first === this.props.first ? null : this.held();
  }

  override componentDidUpdate(_: Props, __: object, held: Held | null): void {
    const box = this.props.box.current;
    if (!held?.element.isConnected || !box) return;
    const moved = held.element.getBoundingClientRect().top - held.top;
    if (moved) box.scrollTop += moved;
  }

  override render(): ReactNode {
    return this.props.children;
  }

  /** The first thing that is seen: a part of an exchange, else the exchange. */
  private held(): Held | null {
    const box = this.props.box.current;
    if (!box) return null;
    const edge = box.getBoundingClientRect().top;
    const seen = (element: Element) => element.getBoundingClientRect().bottom > edge;
    const item = [...box.querySelectorAll("[data-item]")].find(seen);
    const element = item && ([...item.querySelectorAll("[data-part]")].find(seen) ?? item);
    return element ? { element, top: element.getBoundingClientRect().top } : null;
  }
}
