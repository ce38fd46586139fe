import type { Session, SessionCurrentStep, SessionOutcome } from '@support-flow/client'
import { useState } from 'react'
import { client } from './client.ts'
import { ErrorNote, Field, Form } from './form.tsx'
import { useAction, useLoad } from './load.ts'
import { Markdown } from './markdown.tsx'
import { Heading, Page, Shown } from './page.tsx'

/** Run a flow: one step after the other, then the outcome, then the note for the ticket. */
export function SessionPage({ id }: { id: string }) {
  const loaded = useLoad((signal) => client.sessions.get({ session_id: id }, { signal }), [id])
  return (
    <Page title={loaded.data?.tree_snapshot.name ?? 'Session'}>
      <Shown loaded={loaded}>
        {(session) => (
          <>
            <Progress session={session} />
            {session.state === 'completed' ? (
              <TicketNote session={session} />
            ) : session.current_step ? (
              <Step key={session.current_step.id} session={session} step={session.current_step} onChange={loaded.set} />
            ) : (
              <Complete session={session} onChange={loaded.set} />
            )}
          </>
        )}
      </Shown>
    </Page>
  )
}

function Progress({ session: { progress, ticket_number } }: { session: Session }) {
  return (
    <p className="progress">
      <progress max={100} value={progress.percent} aria-label="Progress" />
      <span>
        {progress.answered} of {progress.total} steps{ticket_number && ` · ticket ${ticket_number}`}
      </span>
    </p>
  )
}

interface StepProps {
  session: Session
  step: SessionCurrentStep
  onChange: (session: Session) => void
}

function Step({ session, step, onChange }: StepProps) {
  const [note, setNote] = useState('')
  const { steps } = client.sessions
  const answer = useAction(async (choice: { option_id: string } | { outcome: 'done' | 'failed' | 'skipped' }) =>
    onChange(await steps.recordDecision({ session_id: session.id, step_id: step.id, ...choice, ...(note ? { note } : {}) })),
  )
  const undo = useAction(async () => onChange(await steps.undoDecision({ session_id: session.id })))
  const isBusy = answer.isBusy || undo.isBusy
  return (
    <section className="step">
      {step.section_title && <small>{step.section_title}</small>}
      <Heading tag="h2">{step.title}</Heading>
      <Markdown text={step.description} />
      <label>
        Note <small>(optional, it goes into the ticket)</small>
        <textarea rows={2} value={note} onChange={(event) => setNote(event.target.value)} />
      </label>
      <p className="buttons">
        {step.options.map(({ id, label }) => (
          <button key={id} type="button" className="main" disabled={isBusy} onClick={() => answer.run({ option_id: id })}>
            {label}
          </button>
        ))}
        {step.options.length === 0 &&
          (['done', 'failed', 'skipped'] as const).map((outcome) => (
            <button
              key={outcome}
              type="button"
              className={outcome === 'done' ? 'main' : ''}
              disabled={isBusy}
              onClick={() => answer.run({ outcome })}
            >
              {{ done: 'Done', failed: 'It failed', skipped: 'Skip' }[outcome]}
            </button>
          ))}
        {session.decisions.length > 0 && (
          <button type="button" disabled={isBusy} onClick={undo.run}>
            Back
          </button>
        )}
      </p>
      <ErrorNote error={answer.error ?? undo.error} />
    </section>
  )
}

const outcomeTexts: Record<SessionOutcome, string> = {
  resolved: 'Resolved',
  unresolved: 'Not resolved',
  escalated: 'Escalated',
  cancelled: 'Cancelled',
}

function Complete({ session, onChange }: { session: Session; onChange: (session: Session) => void }) {
  const complete = async (form: FormData) => {
    const outcome = String(form.get('outcome')) as SessionOutcome
    onChange(await client.sessions.steps.complete({ session_id: session.id, outcome, notes: String(form.get('notes')) }))
  }
  return (
    <section className="step">
      <Heading tag="h2">How did it end?</Heading>
      <Form submitText="Complete" fields={['outcome', 'notes']} onSubmit={complete}>
        <Field
          name="outcome"
          label="Outcome"
          required
          control={(field) => (
            <select {...field}>
              {Object.entries(outcomeTexts).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          )}
        />
        <Field name="notes" label="Notes" control={(field) => <textarea {...field} rows={3} />} />
      </Form>
    </section>
  )
}

function TicketNote({ session }: { session: Session }) {
  const note = useLoad(
    async (signal) => {
      const file = await client.sessions.exports.export({ session_id: session.id, format: 'ticket-note' }, { signal })
      return file.text()
    },
    [session.id],
  )
  const download = useAction(async () => {
    const file = await client.sessions.exports.export({ session_id: session.id, format: 'pdf' })
    const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(file), download: file.name })
    link.click()
    URL.revokeObjectURL(link.href)
  })
  return (
    <section className="step">
      <Heading tag="h2">Completed: {session.outcome && outcomeTexts[session.outcome]}</Heading>
      <Shown loaded={note}>{(text) => <pre>{text}</pre>}</Shown>
      <p className="buttons">
        <button type="button" onClick={() => navigator.clipboard.writeText(note.data ?? '')}>
          Copy the note
        </button>
        <button type="button" disabled={download.isBusy} onClick={download.run}>
          Download as PDF
        </button>
        <a href="#/flows">Next flow</a>
      </p>
      <ErrorNote error={download.error} />
    </section>
  )
}
