import type { RecordTypes } from '#local/vendors/records.ts'
import { element } from './element.ts'
import { formField, readForm, selectField } from './form.ts'
import { send } from './server.ts'

interface Button {
  action_id?: string
  value?: string
}

/** Return the kinds of buttons of a message that act for whoever presses them. */
export function listActions({ body }: RecordTypes['chat']): string[] {
  const { blocks } = (body ?? {}) as { blocks?: { type?: string; elements?: Button[] }[] }
  return (Array.isArray(blocks) ? blocks : [])
    .filter(({ type }) => type === 'actions')
    .flatMap(({ elements = [] }) => elements)
    .flatMap(({ action_id, value }) => (action_id && value ? [action_id] : []))
}

/** What the last form contained, for the next message. */
let entered: Record<string, unknown> = {}

/**
 * Show a form that presses a button of a message as a user of Slack. The message then changes, and what only
 * the user sees is a message of its own in the list.
 */
export function renderPress(message: RecordTypes['chat']): HTMLElement {
  const result = element('pre', {})
  const enter = (name: string) => ({ required: true, value: String(entered[name] ?? '') })
  const press = async (event: Event) => {
    event.preventDefault()
    entered = readForm(form)
    const answer = await send('POST', `/desk/chat/${message.id}/press`, entered)
    result.textContent = JSON.stringify(answer, null, 2)
  }
  const form = element(
    'form',
    { class: 'row', submit: (event) => void press(event).catch(showError) },
    selectField('action', 'Button', listActions(message)),
    formField('user', 'Name in Slack', { placeholder: 'dana', ...enter('user') }),
    formField('url', 'Request URL', {
      size: 50,
      placeholder: '`actions_url` of the config',
      ...enter('url'),
    }),
    formField('secret', 'Signing secret', enter('secret')),
    selectField('mode', 'Arrives', ['once', 'twice', 'late', 'forged', 'expired']),
    element('button', {}, 'Press'),
  )
  const showError = (error: unknown) => {
    result.textContent = error instanceof Error ? error.message : String(error)
  }
  return element('div', {}, form, result)
}
