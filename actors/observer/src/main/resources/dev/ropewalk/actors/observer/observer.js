'use strict';
// The page of the observer. All text of the process goes through textContent, never through markup.

const ROW_PX = 22; // as in observer.css
const MORE_ROWS = 10; // above and below those that are seen
const KEPT = 60; // samples of a chart
const AGAIN_MS = 2000;
const MAX_INDENTS = 30; // of fibers, which may stand deeper than a page is wide
const MAX_COLUMNS = 50; // of a table of a source
const MAX_DEPTH = 5; // of the parts of a source

const one = id => document.getElementById(id);
const grid = one('actors');
const view = { systemId: null, filter: '', sort: 'tree', from: 0, rows: 60, numbers: false };
const rows = new Map(); // by id, as they came
const busy = new Map(); // by the cord's id, the last shares
const cordLines = new Map(); // by the cord's id
const counted = new Map(); // by metric and tags: the last number and its moment
let order = [];
let total = 0;
let first = 0;
let selected = null; // an id
let wanted = null; // the place of a row that is to be selected when it comes
let stream = null;
let begins = 0;
let isFirst = true; // of the events of a stream
let opening = 0;
let answers = 0; // of the pane, under way
let shown = null; // the actor of the pane
let opener = null; // what had the keyboard before the pane
const viewer = Array.from(crypto.getRandomValues(new Uint32Array(4)), each => each.toString(16)).join('-');

// ---------------------------------------------------------------- the token

function token() {
  if (location.hash.length > 1) {
    sessionStorage.setItem('token', location.hash.slice(1));
    history.replaceState(null, '', location.pathname); // nobody reads it over a shoulder
  }
  return sessionStorage.getItem('token') ?? '';
}

const secret = token();

function ask(path, options = {}) {
  return fetch(path, { ...options, headers: { Authorization: 'Bearer ' + secret }, cache: 'no-store' });
}

/** The same, and an answer that is none where the process cannot be reached. */
async function tryAsk(path, options = {}) {
  try {
    return await ask(path, options);
  } catch (failed) {
    return new Response('no connection', { status: 503 });
  }
}

// ---------------------------------------------------------------- the stream

async function look() {
  stream?.abort();
  stream = new AbortController();
  const mine = stream;
  isFirst = true;
  const query = new URLSearchParams({ viewer, filter: view.filter, sort: view.sort, from: view.from, rows: view.rows,
    numbers: view.numbers });
  if (view.systemId !== null) {
    query.set('systemId', view.systemId);
  }
  try {
    const answer = await ask('/api/v1/stream?' + query, { signal: mine.signal });
    if (!answer.ok) {
      say((await answer.text()).trim(), true);
      if (answer.status !== 401) {
        again(mine);
      }
      return;
    }
    say('live', false);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += part.value;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        if (stream !== mine) {
          return;
        }
        show(JSON.parse(text.slice('data: '.length, end)));
        text = text.slice(end + 2);
      }
    }
    say('the process has ended the stream', true);
    again(mine);
  } catch (failed) {
    if (!mine.signal.aborted) {
      say('no connection', true);
      again(mine);
    }
  }
}

function again(mine) {
  setTimeout(() => { if (stream === mine) { look(); } }, AGAIN_MS);
}

/** A stream is begun anew when the window changes, and not more often while it goes on changing. */
function lookSoon() {
  if (begins === 0) {
    begins = setTimeout(() => { begins = 0; look(); }, 80);
  }
}

function say(text, isBad) {
  one('connection').textContent = text;
  one('connection').className = isBad ? 'bad' : '';
}

// ---------------------------------------------------------------- showing

function cell(tag, text, name) {
  const made = document.createElement(tag);
  made.textContent = text ?? '';
  if (name) {
    made.className = name;
  }
  return made;
}

const number = value => value === null || value === undefined ? '' : Math.round(value).toLocaleString('en');

function show(all) {
  const mebi = bytes => Math.round(bytes / 1048576).toLocaleString('en') + ' MiB';
  one('process').textContent = `process ${all.process.pid}, Java ${all.process.java}, ` +
    `${all.process.processors} processors, heap ${mebi(all.process.heapUsed)} of ${mebi(all.process.heapMax)}`;
  showCords(all.cords);
  showSchedulers(all.schedulers);
  showCycles(all.cords);
  showSystems(all);
  showSources(all.sources);
  showNumbers(all);
  if (isFirst) {
    rows.clear(); // all rows are in the first event
    isFirst = false;
  }
  for (const row of all.rows) {
    rows.set(row.id, row);
  }
  order = all.order;
  const now = new Set(order);
  for (const id of rows.keys()) {
    if (!now.has(id)) {
      rows.delete(id);
    }
  }
  total = all.total;
  first = all.from;
  showRows();
  if (answers === 0 && shown?.traced && !one('detail').hidden) {
    refresh(shown, false);
  }
}

function spark(shares) {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  svg.setAttribute('class', 'spark');
  svg.setAttribute('viewBox', `0 0 ${KEPT - 1} 20`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'busy share of the last minute');
  const line = document.createElementNS(ns, 'polyline');
  const from = KEPT - shares.length;
  line.setAttribute('points', shares.map((share, i) => `${from + i},${19 - 18 * share}`).join(' '));
  svg.append(line);
  return svg;
}

function showCords(cords) {
  const body = one('cords').tBodies[0];
  const alive = new Set(cords.map(cord => cord.id));
  for (const id of cordLines.keys()) {
    if (!alive.has(id)) {
      busy.delete(id);
      cordLines.delete(id);
    }
  }
  const lines = cords.flatMap(linesOf);
  if (lines.length !== body.rows.length || lines.some((line, i) => line !== body.rows[i])) {
    const focused = document.activeElement;
    body.replaceChildren(...lines);
    focused.focus({ preventScroll: true }); // it may be the name of a cord, which was away for a moment
  }
}

function sharesOf(cord) {
  const shares = busy.get(cord.id) ?? [];
  if (cord.busy !== null) {
    shares.push(cord.busy);
    shares.splice(0, Math.max(0, shares.length - KEPT));
    busy.set(cord.id, shares);
  }
  return shares;
}

/** The name stays as long as the cord is seen, so that the keyboard can stay on it. */
function linesOf(cord) {
  const { line, where } = keptOf(cord);
  while (line.cells.length > 1) {
    line.deleteCell(1);
  }
  const chart = document.createElement('td');
  chart.append(spark(sharesOf(cord)));
  const state = cord.silent ? 'STUCK in ' + (cord.running ?? 'no fiber') : 'answers';
  line.append(cell('td', state, cord.silent ? 'bad' : ''),
    cell('td', cord.busy === null ? '' : Math.round(cord.busy * 100) + ' %'), chart,
    cell('td', number(cord.switches)), cell('td', number(cord.fibers)), cell('td', number(cord.runnable)),
    cell('td', number(cord.inbox)), cell('td', number(cord.timers)), cell('td', cord.stacks));
  line.querySelector('button').textContent = cord.name; // a process that begins anew counts anew, too
  where.querySelector('pre').textContent = cord.stack.join('\n');
  return cord.stack.length > 0 ? [line, where] : [line];
}

/** The line of a cord, and the one that says where it is while it does not answer. */
function keptOf(cord) {
  let kept = cordLines.get(cord.id);
  if (kept === undefined) {
    const button = cell('button', '', 'name');
    button.type = 'button';
    button.title = 'its fibers and timers';
    button.addEventListener('click', () => openCord(cord.id, button));
    const line = document.createElement('tr');
    line.insertCell().append(button);
    const where = document.createElement('tr');
    const wide = where.insertCell();
    wide.colSpan = one('cords').tHead.rows[0].cells.length;
    wide.append(cell('pre', '', 'bad'));
    kept = { line, where };
    cordLines.set(cord.id, kept);
  }
  return kept;
}

function showSchedulers(schedulers) {
  one('schedulers').hidden = schedulers.length === 0;
  one('schedulers').tBodies[0].replaceChildren(...schedulers.map(each => {
    const line = document.createElement('tr');
    line.append(cell('td', each.name), cell('td', number(each.cords)), cell('td', number(each.alive)),
      cell('td', number(each.placed)), cell('td', number(each.stolen)));
    return line;
  }));
}

function showCycles(cords) {
  const lines = cords.flatMap(cord => cord.cycles.map(cycle => cell('li', `cord ${cord.name}: ${cycle}`, 'bad')));
  one('cycles').replaceChildren(...(lines.length > 0 ? lines : [cell('li', 'none is known')]));
}

function showSystems(all) {
  const choice = one('system');
  const ids = all.systems.map(each => String(each.id));
  if (ids.join() !== Array.from(choice.options, each => each.value).join()) {
    choice.replaceChildren(...all.systems.map(each => {
      const option = cell('option', each.name);
      option.value = each.id;
      return option;
    }));
  }
  choice.value = all.systemId ?? '';
  const system = all.systems.find(each => each.id === all.systemId);
  if (system === undefined) {
    one('totals').textContent = 'no system of actors';
    if (ids.length > 0) { // the one that was chosen has ended
      wanted = null;
      selected = null;
      view.systemId = null;
      lookSoon();
    }
    return;
  }
  const silent = system.silent.length > 0 ? `, without those of ${system.silent.join(', ')}` : '';
  const letters = system.letters === null ? '' : ` (${system.letters}/s)`;
  one('totals').textContent = `${number(system.actors)} actors${silent}, ${number(all.total)} rows, ` +
    `${number(system.deadLetters)} dead letters${letters}${system.failure === null ? '' : ', ' + system.failure}`;
}

function showSources(sources) {
  one('sources').replaceChildren(...sources.flatMap(each => [cell('h2', each.name), sourceOf(each)]));
}

function sourceOf(source) {
  if (source.failure !== null) {
    return cell('pre', 'failed: ' + source.failure, 'bad');
  }
  try {
    return valueOf(JSON.parse(source.json), 0);
  } catch (none) {
    return cell('pre', 'this cannot be shown as JSON: ' + source.json);
  }
}

const isObject = value => value !== null && typeof value === 'object';

/** An object as names and values, a list of objects as a table. */
function valueOf(value, depth) {
  if (!isObject(value)) {
    return cell('span', textOf(value));
  }
  if (depth > MAX_DEPTH) {
    return cell('span', JSON.stringify(value));
  }
  if (Array.isArray(value)) {
    const isTable = value.length > 0 && value.every(each => isObject(each) && !Array.isArray(each));
    return isTable ? tableOf(value, depth) : cell('span', value.map(textOf).join(', '));
  }
  const made = document.createElement('dl');
  made.append(...Object.keys(value).flatMap(key => {
    const shownAs = document.createElement('dd');
    shownAs.append(fieldOf(value, key, depth));
    return [cell('dt', labelOf(key, [value])), shownAs];
  }));
  return made;
}

function tableOf(rowsOf, depth) {
  const keys = [...new Set(rowsOf.flatMap(Object.keys))];
  if (keys.length > MAX_COLUMNS) {
    return cell('span', JSON.stringify(rowsOf));
  }
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  head.append(...keys.map(key => {
    const name = cell('th', labelOf(key, rowsOf));
    name.scope = 'col';
    return name;
  }));
  const body = table.createTBody();
  for (const each of rowsOf) {
    const line = body.insertRow();
    for (const key of keys) {
      line.insertCell().append(fieldOf(each, key, depth));
    }
  }
  return table;
}

const isTime = key => key.endsWith('Nanos') && key.length > 'Nanos'.length;

/** Without the unit, if all are shown in another one. */
function labelOf(key, all) {
  const areTimes = isTime(key) && all.every(each => (each[key] ?? null) === null || typeof each[key] === 'number');
  return areTimes ? key.slice(0, -'Nanos'.length) : key;
}

/** Times are told in nanoseconds, by the names of their fields. */
function fieldOf(of, key, depth) {
  const value = Object.hasOwn(of, key) ? of[key] : null;
  return isTime(key) && typeof value === 'number' ? cell('span', millisOf(value)) : valueOf(value, depth + 1);
}

const millisOf = nanos => (nanos / 1e6).toLocaleString('en', { maximumFractionDigits: 1 }) + ' ms';

function textOf(value) {
  return value === null ? '' : isObject(value) ? JSON.stringify(value) : String(value);
}

/** Of each pipeline the stage that works for the largest share, and for most of the time: it holds up the others. */
function markBottlenecks(stages) {
  const slowest = new Map(); // by the group of the pipeline
  for (const stage of stages) {
    const before = slowest.get(stage.group);
    if (stage.share > 0.5 && (before === undefined || stage.share > before.share)) {
      slowest.set(stage.group, stage);
    }
  }
  for (const stage of slowest.values()) {
    stage.shown.textContent += ' (bottleneck)';
    stage.shown.className = 'bad';
  }
}

/** The same as at /metrics; those that only grow have a rate, so that of seconds is a share. */
function showNumbers(all) {
  if (!view.numbers) {
    return; // nobody has opened them
  }
  const stages = [];
  one('numbers').querySelector('tbody').replaceChildren(...all.numbers.flatMap(metric =>
    metric.values.map((each, i) => {
      const of = each.tags.map(tag => `${tag.name} ${tag.value}`).join(', ');
      const line = document.createElement('tr');
      const name = cell('td', i === 0 ? metric.name : '');
      name.title = metric.help;
      const rate = metric.kind === 'COUNTER' ? rateOf(metric.name + '\n' + of, each.value, all.numbersAt) : null;
      const share = cell('td', decimal(rate));
      if (metric.name === 'ropewalk.stage.busy.seconds') {
        const group = each.tags.find(tag => tag.name === 'group')?.value;
        stages.push({ group, share: rate ?? 0, shown: share });
      }
      line.append(name, cell('td', of), cell('td', decimal(each.value)), share);
      return line;
    })));
  markBottlenecks(stages);
}

function rateOf(key, value, at) {
  const before = counted.get(key);
  const isNew = before === undefined || at > before.at;
  const rate = before === undefined ? null : isNew ? (value - before.value) * 1000 / (at - before.at) : before.rate;
  if (isNew) {
    counted.set(key, { value, at, rate });
  }
  return rate;
}

function decimal(value) {
  return value === null ? '' : value.toLocaleString('en', { maximumSignificantDigits: Number.isInteger(value) ? 21 : 3 });
}

function showRows() {
  if (wanted !== null && total > 0) {
    wanted = Math.min(wanted, total - 1);
    selected = order[wanted - first] ?? null; // nothing can be opened before it has come
    wanted = selected === null ? wanted : null;
  }
  one('space').style.height = total * ROW_PX + 'px';
  one('rows').style.top = first * ROW_PX + 'px';
  grid.setAttribute('aria-rowcount', total);
  one('rows').replaceChildren(...order.map((id, i) => rowOf(rows.get(id), id, first + i)));
  if (order.includes(selected)) {
    grid.setAttribute('aria-activedescendant', 'row-' + selected); // for those that hear the page
  } else {
    grid.removeAttribute('aria-activedescendant');
  }
}

function rowOf(row, id, place) {
  const line = document.createElement('div');
  line.className = 'row ' + row.kind + (id === selected ? ' now' : '');
  line.setAttribute('role', 'row');
  line.setAttribute('aria-rowindex', place + 1);
  line.setAttribute('aria-selected', id === selected);
  line.dataset.id = id;
  line.id = 'row-' + id;
  const isTree = view.sort === 'tree' && view.filter === '';
  const name = isTree ? row.path.slice(row.path.lastIndexOf('/') + 1) : row.path;
  const path = cell('span', name, 'path');
  path.style.paddingLeft = (isTree ? row.depth * 1.2 : 0) + 'em';
  path.title = row.path;
  const oldest = row.oldest === null || row.oldest === undefined ? '' : number(row.oldest) + ' ms';
  const phase = row.kind === 'supervisor' ? 'supervisor' : row.asked ? row.phase : row.phase + ' ?';
  const parts = [path, cell('span', phase), cell('span', number(row.queued)), cell('span', oldest),
    cell('span', number(row.rate)), cell('span', number(row.restarts)),
    cell('span', row.handles ?? row.state ?? '', 'wide'), cell('span', row.cord, 'wide')];
  parts.forEach(each => each.setAttribute('role', 'gridcell'));
  line.append(...parts);
  return line;
}

// ---------------------------------------------------------------- the window

function windowOf() {
  const from = Math.max(0, Math.floor(grid.scrollTop / ROW_PX) - MORE_ROWS);
  const count = Math.min(500, Math.ceil(grid.clientHeight / ROW_PX) + 2 * MORE_ROWS);
  if (from !== view.from || count !== view.rows) {
    view.from = from;
    view.rows = count;
    lookSoon();
  }
}

grid.addEventListener('scroll', windowOf);
addEventListener('resize', windowOf);
one('system').addEventListener('change', event => { view.systemId = event.target.value; top0(); });
one('filter').addEventListener('input', event => { view.filter = event.target.value.trim(); top0(); });
one('numbers').addEventListener('toggle', event => { view.numbers = event.target.open; counted.clear(); lookSoon(); });
one('sort').addEventListener('change', event => { view.sort = event.target.value; top0(); });

function top0() {
  wanted = null;
  selected = null;
  grid.scrollTop = 0;
  view.from = 0;
  lookSoon();
}

// ---------------------------------------------------------------- the keyboard

grid.addEventListener('pointerdown', event => { // a click may meet two rows, because they are made anew
  const line = event.target.closest('.row');
  if (line !== null) {
    select(line.dataset.id);
    open();
  }
});

function select(id) {
  selected = id;
  wanted = null;
  showRows();
}

/** To a place among all rows, which may have to be fetched first. */
function go(place) {
  if (total === 0) {
    return;
  }
  wanted = Math.min(total - 1, Math.max(0, place));
  const top = wanted * ROW_PX;
  if (top < grid.scrollTop) {
    grid.scrollTop = top;
  } else if (top + ROW_PX > grid.scrollTop + grid.clientHeight) {
    grid.scrollTop = top + ROW_PX - grid.clientHeight;
  }
  showRows();
}

function move(by) {
  const now = order.indexOf(selected);
  const from = wanted !== null ? wanted : now < 0 ? null : first + now;
  go(from === null ? Math.ceil(grid.scrollTop / ROW_PX) : from + by);
}

grid.addEventListener('keydown', event => {
  const page = Math.max(1, Math.floor(grid.clientHeight / ROW_PX) - 1);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
  if (event.key in steps) {
    move(steps[event.key]);
  } else if (event.key === 'Home') {
    go(0);
  } else if (event.key === 'End') {
    go(total - 1);
  } else if (event.key === 'Enter') {
    open();
  } else {
    return;
  }
  event.preventDefault();
});

addEventListener('keydown', event => {
  if (event.key === '/' && event.target !== one('filter')) {
    event.preventDefault();
    one('filter').focus();
  } else if (event.key === 'Escape') {
    closeDetail();
  }
});

// ---------------------------------------------------------------- one actor

async function open() {
  const row = rows.get(selected);
  if (row === undefined || row.kind !== 'actor') {
    return;
  }
  if (await refresh({ systemId: one('system').value, number: row.number, path: row.path })) {
    showDetail(grid);
  }
}

/** The keyboard comes back to where it was. */
function showDetail(from) {
  opener = from;
  one('detail').hidden = false;
  one('close').focus({ preventScroll: true }); // it is the last of the pane
  one('detail').scrollTop = 0;
}

/** False if another one was asked for meanwhile. The fiber is asked for once, because its cord stops for that. */
async function refresh(actor, isFiberWanted = true) {
  const query = new URLSearchParams({ systemId: actor.systemId, number: actor.number, fiber: isFiberWanted });
  const { isLast, facts, failure } = await askForPane('/api/v1/actor?' + query);
  if (!isLast) {
    return false;
  }
  actor.traced = facts !== null && facts.traced;
  if (facts !== null && !isFiberWanted) { // those of the moment in which it was opened, as its stack is
    Object.assign(facts, actor.waits);
  } else if (facts !== null) {
    actor.waits = { waitsFor: facts.waitsFor, awaits: facts.awaits, pending: facts.pending };
  }
  shown = actor;
  one('control').hidden = false;
  one('fibers').replaceChildren();
  one('detail-heading').textContent = actor.path;
  one('detail').querySelector('dl').replaceChildren(...(facts === null ? [] : factsOf(facts)));
  if (facts === null) {
    one('stack').textContent = failure;
  } else if (isFiberWanted) {
    one('stack').textContent = stackOf(facts);
  }
  return true;
}

/** The facts, or why there are none; and whether the pane has been asked for nothing else meanwhile. */
async function askForPane(path) {
  const mine = ++opening;
  answers++;
  try {
    const answer = await tryAsk(path);
    const facts = answer.ok ? await answer.json() : null;
    const failure = answer.ok ? '' : await answer.text();
    return { isLast: mine === opening, facts, failure };
  } finally {
    answers--;
  }
}

function factsOf(actor) {
  const timers = actor.timerList.map(each => `${each.name ?? each.kind.toLowerCase()} (${each.message}) ` +
    (each.due === 0 ? 'now' : `in ${number(each.due)} ms`));
  const recent = actor.recentRestarts === null ? 'an unknown number' : actor.recentRestarts;
  const facts = { class: actor.type, phase: actor.phase, cord: actor.cord, state: actor.state, handles: actor.handles,
    'waits for': actor.waitsFor, awaits: actor.awaits.join(', '), mailbox: actor.queued,
    oldest: actor.oldest === null ? null : actor.oldest + ' ms', restarts: actor.restarts, pending: actor.pending,
    'supervised by': `${actor.supervisor}: ${recent} of ${number(actor.maxRestarts)} restarts ` +
      (actor.restartPeriod === null ? 'in all' : `within ${number(actor.restartPeriod)} ms`),
    'failed last by': actor.failure, 'failed at': actor.failedAt.join('\n'), 'linked to': actor.links.join(', '),
    monitors: actor.monitors.join(', '), watchers: actor.watchers || '', 'open asks': actor.openAsks || '',
    timers: timers.join(', '), trace: actor.trace.map(eventOf).join('\n') };
  return Object.entries(facts)
    .filter(each => each[1] !== null && each[1] !== '')
    .flatMap(each => [cell('dt', each[0]), cell('dd', String(each[1]))]);
}

function eventOf(event) {
  return `${number(event.at)} ms ${event.kind === 'IN' ? 'in' : 'out'} ${event.message}` +
    (event.to === null ? '' : ` to ${event.to}`);
}

function stackOf(actor) {
  if (actor.stack.length > 0) {
    return actor.stack.join('\n');
  }
  return actor.fiberKnown ? 'no stack: its fiber has none now' : 'it has no fiber now, or its cord does not answer';
}

// ---------------------------------------------------------------- one cord

async function openCord(id, button) {
  const { isLast, facts: dump, failure } = await askForPane('/api/v1/cord?' + new URLSearchParams({ id }));
  if (!isLast) {
    return;
  }
  shown = null;
  one('control').hidden = true; // of actors
  one('detail-heading').textContent = 'cord ' + button.textContent;
  one('detail').querySelector('dl').replaceChildren(...(dump === null ? [] : timersOf(dump)));
  one('fibers').replaceChildren(...(dump === null ? [] : fibersOf(dump)));
  one('stack').textContent = dump === null ? failure : dump.stack.join('\n');
  showDetail(button);
}

/** Those that are due next, with the fiber or the code that they are for. */
function timersOf(dump) {
  const lines = dump.timers.map(each => `${millisOf(each.dueNanos)}: ${each.kind} of ${each.owner}`);
  const more = dump.stats.timers - lines.length;
  if (more > 0) {
    lines.push(`${lines.length > 0 ? 'and ' : ''}${number(more)} more`);
  }
  const facts = { state: dump.state, runs: dump.running ?? '', 'next timers': lines.join('\n'),
    'wait for each other': dump.cycles.join('\n') };
  return Object.entries(facts)
    .filter(each => each[1] !== '')
    .flatMap(each => [cell('dt', each[0]), cell('dd', each[1])]);
}

function fibersOf(dump) {
  const lines = dump.fibers.map(fiberOf);
  if (dump.moreFibers > 0) {
    lines.push(cell('div', `and ${number(dump.moreFibers)} more fibers`));
  }
  return lines;
}

/** Opens to its stack, if that is told. */
function fiberOf(fiber) {
  const waits = fiber.waitKind === null ? '' : `, ${fiber.waitKind}: ${fiber.reason}`;
  const awaits = fiber.awaits.length === 0 ? '' : `, waits for ${fiber.awaits.join(', ')}`;
  const pending = fiber.pending === null ? '' : `, pending: ${fiber.pending}`;
  const from = fiber.isForeignChild ? ` (its parent #${fiber.parent} is on another cord)` : '';
  const text = `${fiber.name} #${fiber.id} ${fiber.state}${waits}${awaits}${pending}${from}`;
  const isOpenable = fiber.stack.length > 0;
  const line = document.createElement(isOpenable ? 'details' : 'div');
  line.style.paddingLeft = Math.min(fiber.depth, MAX_INDENTS) * 1.2 + 'em';
  line.append(cell(isOpenable ? 'summary' : 'span', text));
  if (isOpenable) {
    line.append(cell('pre', fiber.stack.join('\n')));
  }
  return line;
}

function closeDetail() {
  opening++; // an answer that is under way opens it no more
  if (!one('detail').hidden) {
    one('detail').hidden = true;
    shown = null;
    (opener?.isConnected ? opener : grid).focus();
  }
}

one('close').addEventListener('click', closeDetail);

async function control(action) {
  const actor = shown;
  const query = new URLSearchParams({ systemId: actor.systemId, number: actor.number, action });
  const answer = await tryAsk('/api/v1/control?' + query, { method: 'POST' });
  say(answer.ok ? action + ' of ' + actor.path : (await answer.text()).trim(), !answer.ok);
  if (answer.ok && action.endsWith('trace') && shown === actor) {
    refresh(actor);
  }
}

document.addEventListener('visibilitychange', () => { // a page that is not seen does not look
  if (document.hidden) {
    stream?.abort();
  } else {
    look();
  }
});

async function begin() {
  const answer = await tryAsk('/api/v1/may');
  if (answer.ok && (await answer.json()).control) {
    one('control').replaceChildren(...['suspend', 'resume', 'restart', 'stop', 'trace', 'untrace'].map(action => {
      const button = cell('button', action);
      button.type = 'button';
      button.addEventListener('click', () => control(action));
      return button;
    }));
  }
  windowOf();
  lookSoon();
}

begin();
