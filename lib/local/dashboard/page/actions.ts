import type { DashboardState } from '#local/dashboard/state.ts'
import { actionButton, element, getById, showMessage } from './element.ts'
import { formField, readForm, selectField } from './form.ts'
import { send } from './server.ts'

const billingActions = [
  'subscribe',
  'change_price',
  'past_due',
  'paid',
  'unpaid',
  'cancel_at_period_end',
  'resume',
  'canceled',
]

/** Show the forms that make something happen: an escalation, an event of the billing provider. */
export async function renderActions({ demo }: DashboardState): Promise<void> {
  getById('detail').replaceChildren(
    ...(demo
      ? [
          element('h2', {}, 'Escalate a session'),
          createForm('/desk/demo/escalation', 'Escalate', [
            formField('email', 'E-mail of the engineer', {
              type: 'email',
              placeholder: 'engineer@northwind.example',
            }),
            formField('account_of', 'Or of a user of the account', { type: 'email' }),
            formField('problem_summary', 'Problem', { size: 40 }),
            formField('psa_ticket_id', 'Ticket'),
          ]),
        ]
      : []),
    element('h2', {}, 'Send an event of the billing provider'),
    createForm('/desk/billing/events', 'Send', [
      formField('email', 'E-mail of a user of the account', { type: 'email', required: true }),
      selectField('action', 'Event', billingActions),
      formField('price', 'Price', { placeholder: 'price_local_pro_monthly' }),
      selectField('skipDelivery', 'Do not deliver it yet', ['false', 'true']),
    ]),
  )
}

function createForm(path: string, label: string, fields: HTMLElement[]): HTMLFormElement {
  const form = element('form', { class: 'row', submit: (event) => event.preventDefault() }, ...fields)
  const submit = async () => {
    if (!form.reportValidity()) return
    await send('POST', path, readForm(form))
    // The button clears the message first.
    setTimeout(() => showMessage('Done.', 'good'))
  }
  form.append(actionButton(label, submit, { type: 'submit' }))
  return form
}
