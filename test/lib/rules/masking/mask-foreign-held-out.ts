import { readOrdinaryLines, readSecretLines } from './mask-lines.ts'

// Lines that were written after the rules were extended for the foreign lines, and that no rule was extended
// for.

export const foreignHeldOutSecrets = readSecretLines(`
New starter Lena: account lena.k, first password ⟦Blue-Ladder-20⟧
Scanner mailbox password was changed, now ⟦Paperclip#6⟧
Printer admin page: user admin, pw ⟦Cyan-Toner8⟧
the code to disarm is ⟦4902⟧
Her phone PIN: ⟦115577⟧
Please whitelist me, my API token is ⟦‹hex:40›⟧
Safe word for the phone verification: ⟦marmalade seven⟧
Here are the credentials: user ftp_in password ⟦Drop.Zone4⟧
Passphrase for the ssh key is ⟦nine lazy bees hum⟧
Recovery code ⟦7F2K-99QW-LL3M⟧ was used once
router login root/⟦Cable.Guy7⟧
Temporary pass: ⟦Cloudy-Monday-1⟧ valid for one day
He wrote his password ⟦Tiger_Lily9⟧ on a sticky note
vault unseal key 1: ⟦‹word:44›⟧
new wifi key: ⟦green-door-1987⟧
Fingerprint reader off, log in with PIN ⟦6630⟧
Passwort fürs Archiv lautet ⟦Keller-Licht9⟧
Das Admin-Passwort von SRV02 ist ⟦Nordlicht!7⟧
Zugang: Benutzer gast, Kennwort ⟦Tulpe-2027⟧
Kennwort geändert auf ⟦Wiese.Blau3⟧
Code für die Alarmanlage: ⟦5561⟧
Notfall-PIN ⟦9917⟧ nur im Tresor
WLAN Gast / Schlüssel: ⟦sommer-am-see-27⟧
Le mot de passe du NAS : ⟦Disque-Dur5⟧
votre mot de passe temporaire est ⟦Nuage?204⟧
Mot de passe par défaut : ⟦Etoile_2027⟧
identifiant admin mot de passe ⟦Chateau.9⟧
le code du portail est ⟦3308B⟧
Contraseña de administrador: ⟦Sol.y.Mar8⟧
mi contraseña es ⟦Lluvia-44⟧
La clave de la caja es ⟦70 21 45⟧
contraseña por defecto ⟦Cactus#27⟧
Heslo k serveru: ⟦Modrin.77⟧
moje heslo je ⟦Liska-2027⟧
Heslo bylo změněno na ⟦Jedle!5⟧
kód k trezoru: ⟦448812⟧
Hasło administratora to ⟦Sosna-Las3⟧
moje hasło: ⟦Jezioro.21⟧
nowy PIN: ⟦7734⟧
Mật khẩu máy tính là ⟦MayTinh@5⟧
mật khẩu: ⟦Hanoi-mua-thu⟧
net use P: /user:shop\\till ⟦T1ll.Pos⟧ \\\\pos\\share
psql "postgresql://rep:⟦R3p.Port⟧@db3/sales"
export AWS_SESSION_TOKEN=⟦‹word:120›⟧
mysqladmin -u root password ⟦N3w.Root⟧
Set-ADAccountPassword jan -NewPassword (ConvertTo-SecureString '⟦J4n.Neu⟧' -AsPlainText -Force)
openssl rsa -in k.pem -passin pass:⟦K3y.Pem⟧
ldap.password=⟦ld4p.Prop⟧
db: { user: app, password: ⟦Y4ml.Inline⟧ }
2027-02-01 auth: user=jan pass=⟦L0g.Jan⟧ ok
`)

export const foreignHeldOutOrdinary = readOrdinaryLines(`
New starter Lena gets her password on paper
Scanner mailbox password was changed by the vendor
Printer admin page: user cannot log in
The code to disarm changes every quarter
PIN: please ask the user
API token: created by the build server
Safe word for the phone verification is not set
Credentials: please use the shared vault
Passphrase: must be entered at every boot
Recovery codes were printed twice
router login fails after the update
Pass: two of three tests
Password: synced from the directory
vault unseal keys are held by five people
wifi key: on the back of the router
Login with PIN is disabled by policy
secret question: name of the first pet
Token ring: removed in 2009
Community: public holidays are listed here
Password managers: comparison of five products
Key: F8
Passwort fürs Archiv hat nur der Leiter
Das Admin-Passwort von SRV02 ist im Tresor
Zugang: nur mit Schlüsselkarte
Kennwort geändert durch den Benutzer
Code für die Alarmanlage kennt der Pförtner
Notfall-PIN: im Tresor
Schlüssel: Raum 204 und 205
Le mot de passe du NAS est inconnu
Mot de passe : à changer avant vendredi
identifiant : prénom et nom
Le code du portail change chaque mois
Contraseña: cambiar antes del viernes
La clave de la caja la sabe Marta
Heslo: nutno změnit do pátku
Heslo k serveru zná jen Petr
Kód: čeká na kontrolu
Hasło: zmienić do piątku
Hasło administratora zna tylko Ewa
Mật khẩu: phải đổi trước thứ sáu
Mật khẩu máy tính do quản trị giữ
docker run -u 1000:1000 -p 127.0.0.1:8080:80 app2
ssh -l admin -p 2022 gw3
SqlServer 21.1.18256.1 is installed
ImportCustomersFromTheLegacyDatabaseJob7
Get-Credential -UserName jan -Message Password
passwordField = document.getElementById("password")
max_password_age: 90
event 4771: Kerberos pre-authentication failed
chage -l jan
`)
