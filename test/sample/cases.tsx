import type { AISession, Handoff, Urgency } from '@support-flow/client'
import { useState } from 'react'
import { client } from './client.ts'
import { Actions, Form } from './form.tsx'
import { useLoad } from './load.ts'
import { Markdown } from './markdown.tsx'
import { formatTime, Page, Shown } from './page.tsx'
import { openPage } from './route.ts'

export function CasesPage() {
  const loaded = useLoad((signal) => client.ai.sessions.list({ limit: 20 }, { signal }), [])
  const create = async (values: Record<keyof typeof caseFields, string>) => {
    const { id } = await client.ai.turns.createSession({ session_type: 'chat', ...leaveOutEmpty(values) })
    openPage('cases', id)
  }
  return (
    <Page title="Cases">
      <Form fields={caseFields} submitText="Open a case" onSubmit={create} />
      <h2>My cases</h2>
      <Shown loaded={loaded} empty="No case yet. Describe a problem above.">
        {(cases) => (
          <ul className="cards">
            {cases.map(({ id, title, status, created_at }) => (
              <li key={id}>
                <a href={`#/cases/${id}`}>{title}</a>{' '}
                <span className="tag">{status.replaceAll('_', ' ')}</span>
                <p className="quiet">{formatTime(created_at)}</p>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </Page>
  )
}

/** Colleagues read them in the alert of an escalation, and a script runs on machines of this client. */
const caseFields = {
  problem_summary: { label: 'What is the problem?', required: true, rows: 2 },
  client_name: { label: 'Client' },
  psa_ticket_id: { label: 'Ticket' },
  asset_name: { label: 'Machine' },
}

const leaveOutEmpty = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value))

export function CasePage({ id }: { id: string }) {
  const loaded = useLoad((signal) => client.ai.sessions.get({ session_id: id }, { signal }), [id])
  return (
    <Page title={loaded.data?.title ?? 'Case'}>
      <Shown loaded={loaded}>
        {(session) => (
          <>
            <p>
              <span className="tag">{session.status.replaceAll('_', ' ')}</span> opened by {session.user_name}
              {session.picked_up_by_name && <>, now with {session.picked_up_by_name}</>}
            </p>
            <p className="quiet">
              {[session.client_name, session.psa_ticket_id, session.asset_name].filter(Boolean).join(' · ')}
            </p>
            {session.handoffs[0] && <HandoffText handoff={session.handoffs[0]} />}
            <Conversation session={session} onChange={loaded.reload} />
            {session.status === 'active' && <Escalate session={session} onChange={loaded.reload} />}
          </>
        )}
      </Shown>
    </Page>
  )
}

/** What the colleague who escalated it has left: a pick-up starts here. */
function HandoffText({ handoff }: { handoff: Handoff }) {
  const parts = {
    Problem: handoff.summary,
    'What was tried': handoff.what_was_tried,
    'Next steps': handoff.next_steps,
    Reason: handoff.reason,
  }
  return (
    <section className="step handoff">
      <h2>
        Handed over <span className={`tag ${handoff.urgency}`}>{handoff.urgency}</span>
      </h2>
      {Object.entries(parts).map(
        ([name, text]) =>
          text && (
            <div key={name}>
              <h3>{name}</h3>
              <Markdown text={text} />
            </div>
          ),
      )}
    </section>
  )
}

const openStates = new Set<AISession['status']>(['active', 'claimed'])

function Conversation({ session, onChange }: { session: AISession; onChange: () => void }) {
  const [question, setQuestion] = useState('')
  const [answer, setAnswer] = useState('')
  const ask = async ({ message }: { message: string }) => {
    setQuestion(message)
    setAnswer('')
    for await (const { event, data } of client.ai.turns.sendMessage.stream({
      session_id: session.id,
      message,
    })) {
      if (event === 'delta') setAnswer((text) => text + data.text)
      // The model starts its answer again.
      if (event === 'restart') setAnswer('')
    }
    setQuestion('')
    setAnswer('')
    onChange()
  }
  return (
    <section>
      <h2>Assistant</h2>
      <ol className="messages">
        {session.messages.map(({ id, role, content }) => (
          <li key={id} className={role}>
            <Markdown text={content} />
          </li>
        ))}
        {question && <li className="user">{question}</li>}
        {question && (
          <li className="assistant" aria-busy="true">
            {answer ? <Markdown text={answer} /> : 'Thinking …'}
          </li>
        )}
      </ol>
      {openStates.has(session.status) && (
        <Form
          key={session.messages.length}
          fields={{ message: { label: 'Ask the assistant', required: true, rows: 2 } }}
          submitText="Ask"
          onSubmit={ask}
        />
      )}
    </section>
  )
}

const urgencies: Urgency[] = ['low', 'normal', 'high', 'critical']

function Escalate({ session, onChange }: { session: AISession; onChange: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const [draft, setDraft] = useState<Partial<Record<string, string>>>({})
  const write = async () => {
    for await (const { event, data } of client.ai.handoffs.draft({ session_id: session.id }))
      if (event === 'draft') setDraft({ ...data })
  }
  const escalate = async (values: Record<string, string>) => {
    await client.ai.handoffs.escalate({ session_id: session.id, ...leaveOutEmpty(values) })
    onChange()
  }
  if (!isOpen)
    return <Actions actions={[{ text: 'Escalate to a colleague', act: async () => setOpen(true) }]} />
  const toField = (name: string, label: string) =>
    [name, { label, rows: 2, defaultValue: draft[name] }] as const
  const fields = Object.fromEntries([
    toField('summary', 'Problem'),
    toField('what_was_tried', 'What was tried'),
    toField('next_steps', 'Next steps'),
    toField('reason', 'Why it needs a colleague'),
  ])
  const urgency = {
    label: 'Urgency',
    required: true,
    choices: urgencies.map((value) => [value, value] as const),
  }
  return (
    <section className="step">
      <h2>Escalate</h2>
      <Actions actions={[{ text: 'Let the assistant write it', act: write }]} />
      {session.hints.length > 0 && (
        <ul className="hints" role="note">
          {session.hints.map(({ code, text }) => (
            <li key={code}>{text}</li>
          ))}
        </ul>
      )}
      <Form
        key={draft.summary}
        fields={{ ...fields, urgency: { ...urgency, defaultValue: draft.urgency ?? 'normal' } }}
        submitText="Escalate"
        onSubmit={escalate}
      />
    </section>
  )
}
