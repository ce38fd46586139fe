import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Write a certificate of a name and its key into a folder, valid for two days. Return the paths of both. */
export function writeCertificate(folder: string, name = 'localhost'): { certificate: string; key: string } {
  const certificate = join(folder, 'certificate.pem')
  const key = join(folder, 'key.pem')
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const files = ['-keyout', key, '-out', certificate]
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject],
    { stdio: 'ignore' },
  )
  return { certificate, key }
}
