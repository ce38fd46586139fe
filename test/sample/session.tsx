import type { Session, SessionCurrentStep, SessionOutcome } from '@support-flow/client'
import { useState } from 'react'
import { client } from './client.ts'
import { Actions, Form } from './form.tsx'
import { useLoad } from './load.ts'
import { Markdown } from './markdown.tsx'
import { Heading, Page, Shown } from './page.tsx'

/** What an answer changes on the page. The flow, which may be long, is read once. */
const changing = ['state', 'outcome', 'current_step', 'progress'] as const

/** Run a flow: one step after the other, then the outcome, then the note for the ticket. */
export function SessionPage({ id }: { id: string }) {
  const loaded = useLoad((signal) => client.sessions.get({ session_id: id }, { signal }), [id])
  return (
    <Page title={loaded.data?.tree_snapshot.name ?? 'Session'}>
      <Shown loaded={loaded}>
        {(session) => (
          <>
            <p className="progress">
              <progress max={100} value={session.progress.percent} aria-label="Progress" />
              {session.progress.answered} of {session.progress.total} steps
              {session.ticket_number && ` · ticket ${session.ticket_number}`}
            </p>
            {session.state === 'completed' ? (
              <TicketNote session={session} />
            ) : session.current_step ? (
              <Step
                key={session.current_step.id}
                step={session.current_step}
                canGoBack={session.progress.answered > 0}
                onAnswer={async (answer) => {
                  const input = { session_id: id, ...answer }
                  const changes = await client.sessions.steps.recordDecision(input, { fields: changing })
                  loaded.set({ ...session, ...changes })
                }}
                onBack={async () => {
                  const input = { session_id: id }
                  const changes = await client.sessions.steps.undoDecision(input, { fields: changing })
                  loaded.set({ ...session, ...changes })
                }}
              />
            ) : (
              <Complete session={session} onChange={loaded.set} />
            )}
          </>
        )}
      </Shown>
    </Page>
  )
}

interface SessionProps {
  session: Session
  onChange: (session: Session) => void
}

type Choice = { option_id: string } | { outcome: 'done' | 'failed' | 'skipped' }
export type StepAnswer = Choice & { step_id: string; note?: string }

interface StepProps {
  step: SessionCurrentStep
  canGoBack: boolean
  onAnswer: (answer: StepAnswer) => Promise<unknown>
  onBack: () => Promise<unknown>
}

/** Show a step with its answers, in a session and in a trial. */
export function Step({ step, canGoBack, onAnswer, onBack }: StepProps) {
  const [note, setNote] = useState('')
  const answer = (text: string, isMain: boolean, choice: Choice) => ({
    ...{ text, isMain },
    act: () => onAnswer({ step_id: step.id, ...choice, ...(note ? { note } : {}) }),
  })
  const results = [
    answer('Done', true, { outcome: 'done' }),
    answer('It failed', false, { outcome: 'failed' }),
    answer('Skip', false, { outcome: 'skipped' }),
  ]
  return (
    <section className="step">
      {step.section_title && <small>{step.section_title}</small>}
      <Heading tag="h2">{step.title}</Heading>
      <Markdown text={step.description} />
      <label>
        Note <small>(optional, it goes into the ticket)</small>
        <textarea rows={2} value={note} onChange={(event) => setNote(event.target.value)} />
      </label>
      <Actions
        actions={[
          ...(step.options.length > 0
            ? step.options.map(({ id, label }) => answer(label, true, { option_id: id }))
            : results),
          canGoBack && { text: 'Back', act: onBack },
        ]}
      />
    </section>
  )
}

const outcomeTexts: Record<SessionOutcome, string> = {
  resolved: 'Resolved',
  unresolved: 'Not resolved',
  escalated: 'Escalated',
  cancelled: 'Cancelled',
}

function Complete({ session, onChange }: SessionProps) {
  const complete = async ({ outcome, notes }: { outcome: string; notes: string }) =>
    onChange({
      ...session,
      ...(await client.sessions.steps.complete(
        { session_id: session.id, outcome: outcome as SessionOutcome, notes },
        { fields: changing },
      )),
    })
  const fields = {
    outcome: { label: 'Outcome', required: true, choices: Object.entries(outcomeTexts) },
    notes: { label: 'Notes', rows: 3 },
  }
  return (
    <section className="step">
      <Heading tag="h2">How did it end?</Heading>
      <Form fields={fields} submitText="Complete" onSubmit={complete} />
    </section>
  )
}

function TicketNote({ session }: { session: Session }) {
  const note = useLoad(
    async (signal) => {
      const file = await client.sessions.exports.export(
        { session_id: session.id, format: 'ticket-note' },
        { signal },
      )
      return file.text()
    },
    [session.id],
  )
  const download = async () => {
    const file = await client.sessions.exports.export({ session_id: session.id, format: 'pdf' })
    const link = Object.assign(document.createElement('a'), {
      href: URL.createObjectURL(file),
      download: file.name,
    })
    link.click()
    URL.revokeObjectURL(link.href)
  }
  const copy = () => navigator.clipboard.writeText(note.data ?? '')
  return (
    <section className="step">
      <Heading tag="h2">Completed: {session.outcome && outcomeTexts[session.outcome]}</Heading>
      <Shown loaded={note}>{(text) => <pre>{text}</pre>}</Shown>
      <Actions
        actions={[
          { text: 'Copy the note', act: copy },
          { text: 'Download as PDF', act: download },
        ]}
      >
        <a href="#/flows">Next flow</a>
      </Actions>
    </section>
  )
}
