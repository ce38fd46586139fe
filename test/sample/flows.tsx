import type { Flow, FlowListItem, IntakeField } from '@support-flow/client'
import { useState } from 'react'
import { client } from './client.ts'
import { type ControlAttributes, ErrorNote, Field, Form } from './form.tsx'
import { useAction, useLoad } from './load.ts'
import { Markdown } from './markdown.tsx'
import { Page, Shown } from './page.tsx'
import { openPage } from './route.ts'

export function FlowsPage() {
  const [search, setSearch] = useState('')
  return (
    <Page title="Flows">
      <input
        type="search"
        aria-label="Search flows"
        placeholder="Search flows"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <FlowList search={search} />
    </Page>
  )
}

const pageSize = 8

/** The first page, and a button that adds the next one while there are more. */
function FlowList({ search }: { search: string }) {
  const loaded = useLoad(
    (signal) => {
      const filter = { status: 'published', limit: pageSize, ...(search && { search }) } as const
      return readMore(client.flows.trees.list(filter, { signal }).pages())
    },
    [search],
  )
  const more = useAction(async () => loaded.data && loaded.set(await readMore(loaded.data.pages, loaded.data.flows)))
  return (
    <Shown loaded={loaded}>
      {({ flows, isLast }) => (
        <>
          {flows.length === 0 && <p className="quiet">No flow matches “{search}”.</p>}
          <ul className="cards">
            {flows.map(({ id, name, category, description }) => (
              <li key={id}>
                <a href={`#/flows/${id}`}>{name}</a> {category && <span className="tag">{category}</span>}
                <p className="quiet">{description.split('\n')[0]}</p>
              </li>
            ))}
          </ul>
          <ErrorNote error={more.error} />
          {!isLast && (
            <button type="button" disabled={more.isBusy} onClick={more.run}>
              More
            </button>
          )}
        </>
      )}
    </Shown>
  )
}

async function readMore(pages: AsyncGenerator<FlowListItem[], void>, flows: FlowListItem[] = []) {
  const page = (await pages.next()).value ?? []
  return { pages, flows: [...flows, ...page], isLast: page.length < pageSize }
}

export function FlowPage({ id }: { id: string }) {
  const loaded = useLoad((signal) => client.flows.trees.get({ tree_id: id }, { signal }), [id])
  return (
    <Page title={loaded.data?.name ?? 'Flow'}>
      <Shown loaded={loaded}>{(flow) => <StartForm flow={flow} />}</Shown>
    </Page>
  )
}

function StartForm({ flow }: { flow: Flow }) {
  const start = async (form: FormData) => {
    const ticket_number = String(form.get('ticket_number') ?? '') || undefined
    const variables = Object.fromEntries(flow.intake_form.flatMap((field) => readAnswer(field, form)))
    const session = await client.sessions.start({ tree_id: flow.id, ticket_number, variables })
    openPage('sessions', session.id)
  }
  return (
    <>
      <Markdown text={flow.description} />
      <Form submitText="Start" fields={['ticket_number', ...flow.intake_form.map(nameOf)]} onSubmit={start}>
        <Field name="ticket_number" label="Ticket" control={(field) => <input {...field} />} />
        {flow.intake_form.map((intake) => (
          <Field
            key={intake.key}
            name={nameOf(intake)}
            label={intake.label}
            help={intake.help_text ?? undefined}
            // The service says what is missing, beside the field.
            control={(field) => <IntakeControl intake={intake} field={field} />}
            {...(intake.required ? { required: true } : {})}
          />
        ))}
      </Form>
    </>
  )
}

const nameOf = ({ key }: IntakeField) => `variables.${key}`
const inputTypes: Partial<Record<IntakeField['type'], string>> = { number: 'number', date: 'date' }

function IntakeControl({ intake, field: { required: _, ...field } }: { intake: IntakeField; field: ControlAttributes }) {
  const initial = String(intake.default ?? '')
  if (intake.type === 'textarea') return <textarea {...field} rows={3} defaultValue={initial} />
  if (intake.type === 'boolean') return <input {...field} type="checkbox" defaultChecked={intake.default === true} />
  if (intake.options?.length)
    return (
      <select {...field} multiple={intake.type === 'multiselect'} defaultValue={intake.type === 'multiselect' ? [] : initial}>
        {intake.type === 'select' && <option value="">Choose …</option>}
        {intake.options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    )
  return <input {...field} type={intake.secret ? 'password' : (inputTypes[intake.type] ?? 'text')} defaultValue={initial} />
}

/** Return the answer with its key. A field that was left empty has none, and the service says if one is required. */
function readAnswer(intake: IntakeField, form: FormData): [string, string | number | boolean | string[]][] {
  const name = nameOf(intake)
  if (intake.type === 'boolean') return [[intake.key, form.has(name)]]
  if (intake.type === 'multiselect') return [[intake.key, form.getAll(name).map(String)]]
  const text = String(form.get(name) ?? '')
  return text === '' ? [] : [[intake.key, intake.type === 'number' ? Number(text) : text]]
}
