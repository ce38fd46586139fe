import { readSecretLines } from './mask-lines.ts'

// Sentences of tickets in several languages. The secrets stand between ⟦ and ⟧.

export const ticketLines = readSecretLines(`
reset password to ⟦P@ssw0rd123!⟧
Reset the password to ⟦Summer#2024⟧ and asked her to change it
Password reset to ⟦Wint3r!Kit⟧, user can log in again
I have reset his password to "⟦Blue Kite 9⟧"
Password set to ⟦Kite!Blue8⟧
Set the local admin password to ⟦Kite!Blue7⟧ on all laptops
Changed password to ⟦Kite!Blue6⟧
Password changed to: ⟦Kite!Blue5⟧
Updated the service account password from ⟦Kite!Old44⟧ to ⟦Kite!New44⟧
pw ⟦Summer#2025⟧
pw: ⟦Summer#2026⟧
pw=⟦Summer#2027⟧
pw is ⟦Summer#2028⟧
PW - ⟦Summer#2029⟧
pwd ⟦Autumn!2025⟧
his pwd is ⟦Autumn!2026⟧ I think
pass: ⟦Autumn!2027⟧
pass ⟦Autumn!2028⟧ works
passcode ⟦118822⟧ for the iPad
iPad passcode is ⟦118823⟧
WiFi password is ⟦guestwifi⟧
The WiFi password is ⟦guestwifi⟧, all lower case
wifi pw ⟦cafelatte1⟧
Wi-Fi password: ⟦kaffeehaus⟧
guest network password is ⟦welcomehome⟧
SSID Guest, key ⟦sunflower88⟧
wpa2 key is ⟦sunflower89⟧
Password ⟦Kx9!vv2q⟧
Password ⟦Kx9!vv2r⟧ was refused
password ⟦Kx9vv2qw⟧
The password ⟦Kx9!vv2s⟧ does not work
Password␉⟦Kx9!vv2t⟧
Password␤⟦Kx9!vv2u⟧
Password:␤⟦Kx9!vv2v⟧
Username␤ann␤Password␤⟦Kx9!vv2w⟧
Password => ⟦Kx9!vv2x⟧
Password -> ⟦Kx9!vv2y⟧
Password → ⟦Kx9!vv2z⟧
Password – ⟦Kx9!vv3a⟧
Password - ⟦Kx9!vv3b⟧
Password | ⟦Kx9!vv3c⟧
Password (temp): ⟦Kx9!vv3d⟧
Password [admin]: ⟦Kx9!vv3e⟧
**Password:** ⟦Kx9!vv3f⟧
*Password*: ⟦Kx9!vv3g⟧
Password: **⟦Kx9!vv3h⟧**
Password: ${'`'}⟦Kx9!vv3i⟧${'`'}
Password = '⟦Kx9 vv3j⟧'
Password: “⟦Kx9 vv3k⟧”
- Password: ⟦Kx9!vv3l⟧
• password ⟦Kx9!vv3m⟧
> Password: ⟦Kx9!vv3n⟧
1. Password: ⟦Kx9!vv3o⟧
PASSWORD: ⟦KX9VV3PQ⟧
Passwort/Password: ⟦Kx9!vv3q⟧
Temporary password: ⟦Winter2026!⟧
Temp password ⟦Winter2027!⟧
Temp pw: ⟦Winter2028⟧
Initial password is ⟦Winter2029⟧
New password: ⟦Winter2030⟧
Old password was ⟦Winter2031⟧
Default password ⟦changeme1⟧
Admin password for the switch: ⟦Winter2033⟧
Password for ann: ⟦Winter2034⟧
Password for the NAS is ⟦Winter2035⟧
password for user ann is ⟦Winter2036⟧
The password of the printer is ⟦Winter2037⟧
The password should be ⟦Winter2038⟧
Use the password ⟦Winter2039⟧ to log in
Use ⟦Winter!2040⟧ as password
Please log in with ⟦Winter!2041⟧ as the password
Log in as ann with password ⟦Winter2042⟧
logged in with ann / ⟦Winter!2043⟧
login: ann / ⟦Winter!2044⟧
Login: ann Password: ⟦Winter2045⟧
user ann password ⟦Winter2046⟧
user: ann, pass: ⟦Winter2047⟧
ann:⟦Winter!2048⟧ are the credentials
creds are ann:⟦Winter!2049⟧
creds: ann/⟦Winter!2050⟧
credentials ann / ⟦Winter!2051⟧
credentials are ann and ⟦Winter!2052⟧
Username: ann Password: ⟦Winter2053⟧
u: ann p: ⟦Winter!2054⟧
un: ann pw: ⟦Winter!2055⟧
U/P: ann/⟦Winter!2056⟧
user/pass ann/⟦Winter!2057⟧
username/password: ann/⟦Winter!2058⟧
admin/⟦Adm!n4321⟧ is the router login
Router: admin / ⟦Adm!n4322⟧
iLO login Administrator / ⟦9KX2MMQ7⟧
iDRAC root/⟦calvin1⟧
Switch login is admin / ⟦Adm!n4323⟧
Her password was ⟦Rosebud77⟧ all along
He told me his password, ⟦Rosebud78⟧
my password is ⟦rosebud⟧
my password is ⟦Rosebud79⟧ can you check
It asks for the password. The password is: ⟦Rosebud80⟧
Tried ⟦Rosebud!81⟧ as the password, no luck
Tried password ⟦Rosebud82⟧ and ⟦Rosebud83⟧
Both passwords, ⟦Rosebud!84⟧ and ⟦Rosebud!85⟧, fail
Passwords: ⟦Rosebud86⟧, ⟦Rosebud87⟧
The token is ⟦tok-99-aab⟧
API key is ⟦9f8e7d6c5b4a⟧
API key 9f8e: ⟦9f8e7d6c5b4b⟧
api key ⟦9f8e7d6c5b4c⟧
The API key ⟦9f8e7d6c5b4d⟧ was created
Secret: ⟦open-sesame-9⟧
secret is ⟦open-sesame-8⟧
The client secret is ⟦0pen~sesame.7⟧
Shared secret ⟦opensesame6⟧ on both sides
PSK ⟦opensesame5⟧
PSK is ⟦opensesame4⟧
The pre-shared key is ⟦opensesame3⟧
pre shared key ⟦opensesame2⟧
SNMP community ⟦opensesame1⟧
community string is ⟦opensesame0⟧
SNMP string: ⟦sesame-ro-1⟧
RADIUS secret ⟦sesame-rad⟧
Bind password ⟦sesame!bnd⟧
Enable password is ⟦sesame-en9⟧
Encryption password: ⟦sesame enc 9⟧
Backup passphrase ⟦sesame-bk9⟧
BIOS password ⟦sesame-bi9⟧
The BIOS password is ⟦biospass⟧
Safe mode password ⟦DSRM!pass9⟧
DSRM password = ⟦DSRM!pass8⟧
Kiosk unlock code ⟦771199⟧
Passwort: ⟦Sommer2027⟧
Passwort ist ⟦Sommer2028⟧
Das Passwort lautet ⟦Sommer2029⟧
Das neue Passwort lautet: ⟦Sommer2030⟧
Passwort auf ⟦Sommer!2031⟧ geändert
Passwort zurückgesetzt auf ⟦Sommer!2032⟧
Habe das Kennwort auf ⟦Sommer!2033⟧ gesetzt
Kennwort ⟦Sommer!2034⟧
Kennwort für anna: ⟦Sommer2035⟧
PW: ⟦Sommer2036⟧
Passwort␉⟦Sommer2037⟧
WLAN-Passwort: ⟦sonnenblume⟧
WLAN Kennwort ist ⟦sonnenblume1⟧
WLAN-Schlüssel ist ⟦sonnenblume2⟧
Netzwerkschlüssel: ⟦sonnenblume3⟧
Zugangsdaten: anna / ⟦Sommer!2038⟧
Anmeldedaten anna:⟦Sommer!2039⟧
Benutzer: anna Passwort: ⟦Sommer2040⟧
Geheimnis: ⟦Sommer2041⟧
Schlüssel: ⟦Sommer!2042⟧
Zugangscode ⟦884422⟧
Einmalkennwort: ⟦884423⟧
Sicherheitscode: ⟦884424⟧
PIN lautet ⟦8844⟧
Losung: ⟦Sommer2043⟧
Mot de passe: ⟦Ete!2027⟧
Mot de passe est ⟦Ete!2028⟧
Le mot de passe est ⟦Ete2029x⟧
Le nouveau mot de passe est : ⟦Ete2030x⟧
mot de passe ⟦Ete!2031⟧
mdp: ⟦Ete!2032⟧
mdp ⟦Ete!2033⟧
mdp wifi : ⟦Ete!2034⟧
Mot de passe réinitialisé à ⟦Ete!2035⟧
J'ai changé le mot de passe en ⟦Ete!2036⟧
Le mot de passe a été remplacé par ⟦Ete!2037⟧
Clé wifi : ⟦tournesol9⟧
Clé WPA : ⟦tournesol8⟧
Identifiants: anne / ⟦Ete!2038⟧
Code d'accès : ⟦774411⟧
Contraseña: ⟦Verano!27⟧
La contraseña es ⟦Verano28x⟧
contraseña ⟦Verano!29⟧
Nueva contraseña: ⟦Verano!30⟧
Cambié la contraseña a ⟦Verano!31⟧
Contraseña restablecida a ⟦Verano!32⟧
Clave wifi: ⟦girasol99⟧
La clave es ⟦girasol98⟧
Credenciales: ana / ⟦Verano!33⟧
Código de verificación: ⟦663311⟧
La password è ⟦Estate!27⟧
Password: ⟦Estate!28⟧
Nuova password: ⟦Estate!29⟧
Parola chiave: ⟦Estate!30⟧
Password reimpostata a ⟦Estate!31⟧
Password impostata su ⟦Estate!32⟧
Chiave wifi: ⟦girasole9⟧
Credenziali: anna / ⟦Estate!33⟧
Codice di verifica ⟦552211⟧
Wachtwoord: ⟦Zomer!27⟧
Het wachtwoord is ⟦Zomer28x⟧
wachtwoord ⟦Zomer!29⟧
Wachtwoord gereset naar ⟦Zomer!30⟧
Nieuw wachtwoord is ⟦Zomer31x⟧
Wifi wachtwoord: ⟦zonnebloem⟧
Wifi sleutel: ⟦zonnebloem9⟧
Inloggegevens: anna / ⟦Zomer!32⟧
Toegangscode: ⟦441199⟧
Senha: ⟦Verao!27⟧
A senha é ⟦Verao28x⟧
A nova senha é: ⟦Verao!29⟧
Senha redefinida para ⟦Verao!30⟧
Alterei a senha para ⟦Verao!31⟧
Palavra-passe: ⟦Verao!32⟧
palavra passe ⟦Verao!33⟧
Chave wifi: ⟦girassol9⟧
Credenciais: ana / ⟦Verao!34⟧
Hasło: ⟦Lato!2027⟧
haslo: ⟦Lato!2028⟧
Hasło to ⟦Lato!2029⟧
Nowe hasło: ⟦Lato!2030⟧
Hasło zmienione na ⟦Lato!2031⟧
Zresetowano hasło na ⟦Lato!2032⟧
Klucz wifi: ⟦slonecznik9⟧
Dane logowania: anna / ⟦Lato!2033⟧
Lösenord: ⟦Sommar!27⟧
Lösenordet är ⟦Sommar28x⟧
Nytt lösenord: ⟦Sommar!29⟧
Återställde lösenordet till ⟦Sommar!30⟧
Lösenord ändrat till ⟦Sommar!31⟧
Nyckel till wifi: ⟦solros-99⟧
Inloggning: anna / ⟦Sommar!32⟧
Adgangskode: ⟦Sommer!dk1⟧
Passord: ⟦Sommer!no1⟧
Salasana: ⟦Kesa!2027⟧
Heslo: ⟦Leto!2027⟧
Jelszó: ⟦Nyar!2027⟧
Parolă: ⟦Vara!2027⟧
Şifre: ⟦Yaz!2027x⟧
Пароль: ⟦Leto!2028⟧
Новый пароль ⟦Leto!2029⟧
Пароль изменён на ⟦Leto!2030⟧
パスワード: ⟦Natsu!27⟧
パスワードは ⟦Natsu!28⟧ です
パスワードを ⟦Natsu!29⟧ に変更しました
新しいパスワード：⟦Natsu!30⟧
暗証番号: ⟦4499⟧
密码: ⟦Xiatian!27⟧
密码是⟦Xiatian!28⟧
新密码：⟦Xiatian!29⟧
密码改为 ⟦Xiatian!30⟧
口令: ⟦Xiatian!31⟧
验证码：⟦339911⟧
비밀번호는 ⟦Yeoreum!7⟧
`)
