import { isApiError } from '@support-flow/client'
import { createContext, type ReactNode, use, useId } from 'react'
import { useAction } from './load.ts'

/** Messages of the service by field. `['body', 'variables', 'printer_ip']` becomes `variables.printer_ip`. */
type FieldMessages = ReadonlyMap<string, string>

function readFieldMessages(error: unknown): FieldMessages {
  if (!isApiError(error)) return new Map()
  return new Map(error.errors.map(({ loc, msg }) => [loc.slice(1).join('.'), msg]))
}

/** Show a failure. `shown` are the fields that have their message beside them. */
export function ErrorNote({ error, shown = [], onRetry }: { error: unknown; shown?: readonly string[]; onRetry?: () => void }) {
  if (error === undefined) return null
  const messages = readFieldMessages(error)
  const others = [...messages].filter(([name]) => !shown.includes(name))
  const isBesideFields = messages.size > 0 && others.length === 0
  const text = isApiError(error) ? error.message : 'The service cannot be reached. Check the connection and try again.'
  return (
    <div className="note bad" role="alert">
      {isBesideFields ? 'Check the marked fields.' : text}
      {others.map(([name, message]) => (
        <p key={name}>
          {name} {message}
        </p>
      ))}
      {onRetry && (
        <p>
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
    </div>
  )
}

const FormMessages = createContext<FieldMessages>(new Map())

interface FormProps {
  onSubmit: (form: FormData) => Promise<unknown>
  submitText: string
  /** The names of its fields. */
  fields: readonly string[]
  children: ReactNode
}

/** A form that keeps what was typed when the service refuses it, and shows each message beside its field. */
export function Form({ onSubmit, submitText, fields, children }: FormProps) {
  const { run, error, isBusy } = useAction(onSubmit)
  return (
    <FormMessages value={readFieldMessages(error)}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(new FormData(event.currentTarget))
        }}
      >
        {children}
        <ErrorNote error={error} shown={fields} />
        <button type="submit" className="main" disabled={isBusy}>
          {isBusy ? 'One moment …' : submitText}
        </button>
      </form>
    </FormMessages>
  )
}

interface FieldProps {
  name: string
  label: string
  help?: string | undefined
  required?: boolean
  /** The control, which gets the attributes that tie it to its label and its message. */
  control: (attributes: ControlAttributes) => ReactNode
}

export interface ControlAttributes {
  id: string
  name: string
  required: boolean
  'aria-invalid': boolean
  'aria-describedby': string
}

export function Field({ name, label, help, required = false, control }: FieldProps) {
  const id = useId()
  const message = use(FormMessages).get(name)
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {!required && <small>(optional)</small>}
      </label>
      {control({ id, name, required, 'aria-invalid': message !== undefined, 'aria-describedby': `${id}-more` })}
      <small id={`${id}-more`} className={message ? 'bad' : ''}>
        {message === undefined ? help : message.startsWith(label) ? message : `${label} ${message}`}
      </small>
    </div>
  )
}
