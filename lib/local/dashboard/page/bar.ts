import type { DashboardState } from '#local/dashboard/state.ts'
import { actionButton, element, getById } from './element.ts'
import { formField, readForm, selectField } from './form.ts'
import { writePlace } from './place.ts'
import { send } from './server.ts'

let shownFaults = ''
let parts: { time: HTMLElement; faults: HTMLElement; queue: HTMLElement } | undefined

/** Show the clock, the faults and the state of the queue. Open menus stay open. */
export function renderBar(state: DashboardState): void {
  parts ??= createParts()
  const { offset_seconds, now } = state.clock
  parts.time.textContent = `${now.slice(0, 19).replace('T', ' ')} UTC${offset_seconds === 0 ? '' : `, ${offset_seconds} s ahead`}`
  const { scheduled, delivering, failed, dead } = state.queue
  parts.queue.textContent = `Queue: ${scheduled} scheduled, ${delivering} running, ${failed} failed, ${dead} dead`
  parts.queue.className = failed + dead > 0 ? 'bad' : ''
  const key = JSON.stringify(state.faults)
  if (key !== shownFaults) renderFaults(parts.faults, state)
  shownFaults = key
}

function createParts(): NonNullable<typeof parts> {
  const time = element('summary')
  const faults = element('div', { class: 'row' })
  const queue = element('a', { href: writePlace('queue') })
  getById('bar').replaceChildren(element('details', {}, time, createClockMenu()), faults, queue)
  return { time, faults, queue }
}

function createClockMenu(): HTMLElement {
  const advance = (label: string, seconds: number) =>
    actionButton(label, () => send('POST', '/desk/clock', { advance_seconds: seconds }))
  const buttons = [
    advance('+ 30 s', 30),
    advance('+ 2 min', 120),
    advance('+ 10 min', 600),
    advance('+ 1 h', 3600),
    advance('+ 1 day', 86_400),
  ]
  const reset = actionButton('Back to now', () => send('DELETE', '/desk/clock'))
  return element('div', {}, element('div', { class: 'row' }, ...buttons), reset)
}

function renderFaults(target: HTMLElement, { faults, faultOptions }: DashboardState): void {
  const isOpen = target.querySelector('details')?.open
  const list = faults.map(({ service, mode, times }) =>
    element('li', { class: 'bad' }, `${service}: ${mode}${times ? `, ${times} more` : ''}`),
  )
  const summary =
    faults.length === 0
      ? 'No faults'
      : `Faults: ${faults.map(({ service, mode }) => `${service} ${mode}`).join(', ')}`
  target.replaceChildren(
    element(
      'details',
      { open: isOpen === true },
      element('summary', { class: faults.length > 0 ? 'bad' : '' }, summary),
      element(
        'div',
        {},
        element('ul', {}, ...list),
        createFaultForm(faultOptions),
        actionButton('Clear all', () => send('DELETE', '/desk/faults')),
      ),
    ),
  )
}

function createFaultForm({ services, modes }: DashboardState['faultOptions']): HTMLElement {
  const form = element(
    'form',
    { class: 'row', submit: (event) => event.preventDefault() },
    selectField('service', 'Service', services),
    selectField('mode', 'How it fails', modes),
    formField('times', 'Times', { type: 'number', min: 1, placeholder: 'always' }),
    formField('delay_ms', 'Delay in ms', { type: 'number', min: 0 }),
  )
  form.append(actionButton('Set', () => send('POST', '/desk/faults', readForm(form)), { type: 'submit' }))
  return form
}
