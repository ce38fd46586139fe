// Runs before the commands that connect as the owner of the database. The service does not load it, so that who
// breaks into it finds no password of the owner.
import { loadSettings } from './preload.mjs'

loadSettings('.env.owner', 'run the command as its owner, for example with sudo')
