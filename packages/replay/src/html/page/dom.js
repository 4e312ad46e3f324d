import { colourOf } from './state.js';

/** Creates an element with attributes, listeners (`onclick`) and children. Text is never parsed as HTML. */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  apply(node, attributes, children);
  return node;
}

export function shape(tag, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  apply(node, attributes, children);
  return node;
}

function apply(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== undefined));
}

export function scrolled(head, rows, className) {
  return element(
    'div',
    { class: 'scroll' },
    element('table', { class: className }, element('thead', {}, head), element('tbody', {}, ...rows)),
  );
}

export function swatch(method) {
  return element('span', { class: 'swatch', style: `background:${colourOf(method)}` });
}
