import type { Flow, FlowListItem, IntakeField } from '@support-flow/client'
import { useState } from 'react'
import { client } from './client.ts'
import { Actions, type FieldOptions, Form } from './form.tsx'
import { useLoad } from './load.ts'
import { Markdown } from './markdown.tsx'
import { Page, Shown } from './page.tsx'
import { openPage } from './route.ts'
import { Trial, type TrialStart } from './trial.tsx'

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
  return (
    <Shown loaded={loaded}>
      {({ pages, flows, isLast }) => (
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
          <Actions
            actions={[!isLast && { text: 'More', act: async () => loaded.set(await readMore(pages, flows)) }]}
          />
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

/** Start a session, or try the flow with the same answers. */
function StartForm({ flow }: { flow: Flow }) {
  const [trial, setTrial] = useState<TrialStart | null>(null)
  const start = async (values: Record<string, string>, form: FormData) => {
    const variables = Object.fromEntries(flow.intake_form.flatMap((field) => readAnswer(field, form)))
    const input = { tree_id: flow.id, ticket_number: values.ticket_number || undefined, variables }
    if (form.get('action') === 'try') {
      setTrial({ input, run: await client.sessions.dryRuns.run({ ...input, answers: [] }) })
      return
    }
    const session = await client.sessions.start(input)
    openPage('sessions', session.id)
  }
  if (trial) return <Trial {...trial} onEnd={() => setTrial(null)} />
  const intakeFields = Object.fromEntries(flow.intake_form.map((intake) => [nameOf(intake), toField(intake)]))
  return (
    <>
      <Markdown text={flow.description} />
      <Form
        fields={{ ticket_number: { label: 'Ticket' }, ...intakeFields }}
        submitText="Start"
        otherSubmit={{ text: 'Try it', action: 'try' }}
        onSubmit={start}
        noValidate
      />
    </>
  )
}

const nameOf = ({ key }: IntakeField) => `variables.${key}`
const inputTypes: Partial<Record<IntakeField['type'], string>> = { number: 'number', date: 'date' }

function toField({
  type,
  label,
  help_text,
  required,
  options,
  secret,
  default: initial,
}: IntakeField): FieldOptions {
  const field = { label, help: help_text ?? null, required: required === true }
  if (type === 'boolean') return { ...field, type: 'checkbox', defaultChecked: initial === true }
  if (type === 'textarea') return { ...field, rows: 3, defaultValue: String(initial ?? '') }
  const choices = options?.map((option) => [option, option] as const) ?? []
  if (type === 'multiselect') return { ...field, choices, multiple: true }
  if (type === 'select')
    return { ...field, choices: [['', 'Choose …'], ...choices], defaultValue: String(initial ?? '') }
  return {
    ...field,
    type: secret ? 'password' : (inputTypes[type] ?? 'text'),
    defaultValue: String(initial ?? ''),
  }
}

/**
 * Return the answer with its key. A field that was left empty has none, and the service says if one is
 * required.
 */
function readAnswer(intake: IntakeField, form: FormData): [string, string | number | boolean | string[]][] {
  const name = nameOf(intake)
  if (intake.type === 'boolean') return [[intake.key, form.has(name)]]
  if (intake.type === 'multiselect') return [[intake.key, form.getAll(name).map(String)]]
  const text = String(form.get(name) ?? '')
  return text === '' ? [] : [[intake.key, intake.type === 'number' ? Number(text) : text]]
}
