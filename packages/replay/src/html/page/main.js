import { frontier } from './frontier.js';
import { sessionSection } from './session.js';
import { change, worstStep } from './state.js';
import { stepSection } from './step.js';
import { header, problems, totals } from './totals.js';

/** All of the page, anew: it is small, and so nothing can be out of step. */
function draw() {
  const scroll = window.scrollY;
  const sections = [header(), totals(), frontier(), sessionSection(), stepSection(), problems()];
  document.getElementById('page').replaceChildren(...sections.filter(Boolean));
  window.scrollTo(0, scroll);
}

document.addEventListener('change-of-state', draw);
change({ step: worstStep() });
