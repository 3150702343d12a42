/**
 * Scrolls the first lit part of an answer into view, if the answer has its own scroll bar. The page never moves by
 * itself, so on small screens the reader scrolls.
 */
export function followLit(tree: Element): void {
  const lit = tree.querySelector(".lit");
  const room = tree.closest(".tab-panel");
  if (!lit || !room || room.scrollHeight <= room.clientHeight) return;
  const [part, view] = [lit.getBoundingClientRect(), room.getBoundingClientRect()];
  if (part.top >= view.top && part.bottom <= view.bottom) return;
  room.scrollTop += part.top - view.top - view.height / 4;
}
