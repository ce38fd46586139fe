import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient, type HandoffCreatedEvent, isApiError, type SessionResponse, type TreeListItem } from 'support-flow-service/client'

const client = createClient({
  baseUrl: new URLSearchParams(location.search).get('api') ?? '',
  loadTokens: () => JSON.parse(localStorage.getItem('tokens') ?? 'null'),
  onTokens: (tokens) => localStorage.setItem('tokens', JSON.stringify(tokens)),
})

function SignInForm({ onSignIn }: { onSignIn: () => void }) {
  const [problem, setProblem] = useState('')
  const showProblem = (error: unknown) => setProblem(isApiError(error) ? error.message : 'The service cannot be reached')
  const signIn = (form: FormData) =>
    client.identity.auth.login({ email: `${form.get('email')}`, password: `${form.get('password')}` }).then(onSignIn, showProblem)
  return (
    <form action={signIn}>
      <input name="email" /> <input name="password" type="password" /> <button type="submit">Sign in</button> <output>{problem}</output>
    </form>
  )
}

const Button = ({ text, onClick }: { text: string; onClick: () => void }) => <input type="button" value={text} onClick={onClick} />

function FlowRun() {
  const [flows, setFlows] = useState<TreeListItem[]>([])
  const [session, setSession] = useState<SessionResponse>()
  useEffect(() => void client.flows.trees.list({ limit: 10 }).then(setFlows), [])
  const { start, steps } = client.sessions
  if (!session) return flows.map(({ id, name }) => <Button key={id} text={name} onClick={() => start({ tree_id: id }).then(setSession)} />)
  const { id: session_id, current_step: step, state } = session
  const decide = (step_id: string, option_id: string) => steps.recordDecision({ session_id, step_id, option_id }).then(setSession)
  const finish = () => steps.complete({ session_id, outcome: 'resolved' }).then(setSession)
  if (step?.options.length) return step.options.map(({ id, label }) => <Button key={id} text={label} onClick={() => decide(step.id, id)} />)
  return state === 'completed' ? <p>The session is completed</p> : <Button text="Complete" onClick={finish} />
}

function Escalations() {
  const [escalations, setEscalations] = useState<HandoffCreatedEvent[]>([])
  useEffect(() => {
    const leaving = new AbortController()
    const follow = async () => {
      for await (const { event, data } of client.ai.escalations.stream({}, leaving))
        if (event === 'handoff_created') setEscalations((earlier) => [data, ...earlier])
    }
    follow().catch((error) => leaving.signal.aborted || reportError(error))
    return () => leaving.abort()
  }, [])
  return escalations.map(({ handoff_id, title, urgency }) => <li key={handoff_id}>{`${urgency}: ${title}`}</li>)
}

function App() {
  const [isSignedIn, setSignedIn] = useState(client.getTokens() !== null)
  return isSignedIn ? (
    [<FlowRun key="flow" />, <Escalations key="escalations" />]
  ) : (
    <SignInForm onSignIn={() => setSignedIn(client.getTokens() !== null)} />
  )
}
createRoot(document.getElementById('root') as HTMLElement).render(<App />)
