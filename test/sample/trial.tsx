import type { DryRun } from '@support-flow/client'
import { useState } from 'react'
import { client } from './client.ts'
import { Actions } from './form.tsx'
import { Markdown } from './markdown.tsx'
import { Heading } from './page.tsx'
import { Step, type StepAnswer } from './session.tsx'

export interface TrialStart {
  input: Omit<Parameters<typeof client.sessions.dryRuns.run>[0], 'answers'>
  /** The state before the first answer. */
  run: DryRun
}

/** Walk through a flow as in a session. The service plays all answers so far each time, and stores nothing. */
export function Trial({ input, run: first, onEnd }: TrialStart & { onEnd: () => void }) {
  const [{ answers, run }, setState] = useState({ answers: [] as StepAnswer[], run: first })
  const [refusal] = run.errors
  const play = async (next: StepAnswer[]) => {
    const played = await client.sessions.dryRuns.run({ ...input, answers: next })
    // An answer that a session would refuse is shown, and not kept.
    setState({ answers: played.errors.length > 0 ? answers : next, run: played })
  }
  const stop = { text: 'End the trial', act: async () => onEnd() }
  return (
    <>
      <p className="note">A trial: nothing is stored or sent.</p>
      {refusal && (
        <p className="note bad" role="alert">
          {refusal.detail}
        </p>
      )}
      <p className="progress">
        <progress max={100} value={run.progress.percent} aria-label="Progress" />
        {run.progress.answered} of {run.progress.total} steps
      </p>
      {run.current_step ? (
        <Step
          key={run.current_step.id}
          step={run.current_step}
          canGoBack={answers.length > 0}
          onAnswer={(answer) => play([...answers, answer])}
          onBack={() => play(answers.slice(0, -1))}
        />
      ) : (
        <section className="step">
          <Heading tag="h2">{run.procedure_end?.title ?? 'The end'}</Heading>
          <Markdown text={run.procedure_end?.description ?? ''} />
        </section>
      )}
      <Actions actions={[stop]} />
    </>
  )
}
