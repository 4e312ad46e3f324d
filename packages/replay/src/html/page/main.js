import { against } from './against.js';
import { element } from './dom.js';
import { frontier } from './frontier.js';
import { sessionSection } from './session.js';
import { change, state, worstStep } from './state.js';
import { stepSection } from './step.js';
import { header, problems, totals } from './totals.js';

/** The width between the margins of a sheet, A4 or Letter. */
const PRINT_WIDTH = 680;

const page = document.getElementById('page');

/** Draws the whole page. It is small, and so no part of it can be out of date. */
function draw() {
  const scroll = window.scrollY;
  const sections = [header(), totals(), frontier(), against(), sessionSection(), stepSection(), problems()];
  page.replaceChildren(...sections.filter(Boolean));
  window.scrollTo(0, scroll);
}

/** A window that is not shown yet has no width. */
const MIN_WIDTH = 240;

/** The width of what is in a section, in pixels. */
function sectionWidth() {
  const content = element('div');
  const section = element('section', {}, content);
  page.append(section);
  const width = content.clientWidth;
  section.remove();
  return Math.max(MIN_WIDTH, width);
}

function fitToPage() {
  const chartWidth = sectionWidth();
  if (chartWidth !== state.chartWidth) change({ chartWidth });
}

document.addEventListener('change-of-state', draw);
window.addEventListener('resize', fitToPage);
window.addEventListener('beforeprint', () => change({ chartWidth: PRINT_WIDTH }));
window.addEventListener('afterprint', fitToPage);
change({ step: worstStep(), chartWidth: sectionWidth() });
