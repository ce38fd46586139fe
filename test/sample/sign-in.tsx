import { useState } from 'react'
import { client } from './client.ts'
import { ErrorNote, Field, Form } from './form.tsx'
import { useAction } from './load.ts'
import { Page } from './page.tsx'

interface DemoPerson {
  email: string
  password: string
  description: string
}
const demoPeople: DemoPerson[] = JSON.parse(import.meta.env.VITE_DEMO_PEOPLE)

export function SignInPage() {
  const [mfaToken, setMfaToken] = useState('')
  const signIn = async (email: string, password: string) => {
    const answer = await client.identity.auth.login({ email, password })
    // The client has stored the tokens, unless the user has a second factor.
    if ('mfa_token' in answer) setMfaToken(answer.mfa_token)
  }
  const demo = useAction(signIn)
  if (mfaToken) return <SecondFactor mfaToken={mfaToken} />
  return (
    <Page title="Sign in">
      <Form
        submitText="Sign in"
        fields={['email', 'password']}
        onSubmit={(form) => signIn(String(form.get('email')), String(form.get('password')))}
      >
        <Field name="email" label="E-mail" required control={(field) => <input {...field} autoComplete="username" />} />
        <Field
          name="password"
          label="Password"
          required
          control={(field) => <input {...field} type="password" autoComplete="current-password" />}
        />
      </Form>
      {demoPeople.length > 0 && (
        <section>
          <h2>Demo people</h2>
          <p className="buttons">
            {demoPeople.map(({ email, password, description }) => (
              <button key={email} type="button" disabled={demo.isBusy} onClick={() => demo.run(email, password)}>
                {email.split('@')[0]} <small>{description}</small>
              </button>
            ))}
          </p>
          <ErrorNote error={demo.error} />
        </section>
      )}
    </Page>
  )
}

function SecondFactor({ mfaToken }: { mfaToken: string }) {
  const check = (form: FormData) => client.identity.mfa.completeChallenge({ mfa_token: mfaToken, code: String(form.get('code')) })
  return (
    <Page title="Second factor">
      <Form submitText="Continue" fields={['code']} onSubmit={check}>
        <Field
          name="code"
          label="Code"
          required
          control={(field) => <input {...field} inputMode="numeric" autoComplete="one-time-code" />}
        />
      </Form>
    </Page>
  )
}
