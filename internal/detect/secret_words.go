package detect

import (
	"strings"
	"sync"
)

// wordSet is a set of words that is only built when it is first asked.
type wordSet struct {
	list string // words with blanks between them
	once sync.Once
	set  map[string]struct{}
}

func (s *wordSet) has(word string) bool {
	s.once.Do(func() {
		s.set = make(map[string]struct{})
		for w := range strings.FieldsSeq(s.list) {
			s.set[w] = struct{}{}
		}
	})
	_, ok := s.set[word]
	return ok
}

// fileEndings end the names of files and of attributes, not secrets.
var fileEndings = &wordSet{list: `pem key crt cer der txt json yml yaml xml ini conf cfg env js ts py go rb java html htm css php sh md sql log csv png svg jpg p12 pfx jks
	com org net io dev local example test toml properties lock tmpl tpl password secret token value name text id data to_s length`}

// standIns make any value with them a placeholder.
var standIns = &wordSet{list: `example sample changeme placeholder your dummy fake redacted insert replace todo password passwd passphrase foobar xxx xxxx xxxxx xxxxxx
	foo lorem ipsum undefined unknown hidden masked censored removed anonymous mock stub enter here supersecret topsecret mysecret asdf qwerty qwertyuiop abc abcd abcdef
	somesecret notasecret changethis mypassword testpassword invalid incorrect wrong required optional description generated`}

// commonWords are the words of code and configuration: values made of them alone are names, not secrets.
var commonWords = &wordSet{list: `a an the and or of in on to for by with from is are be no not yes true false null nil none void any all some my our this that it as at if else
	pass pwd pw secret secrets token tokens key keys api app auth oauth access client server user users username admin root guest test tests testing tester demo default
	value values string str text name names id ids type data field fields form input output label title message msg error err hash salt login logout signin signup sign
	account credential credentials creds bearer basic digest jwt session cookie csrf xsrf refresh private public shared master encryption signing license
	bar baz qux quux hello world bob alice joe john jane doe letmein welcome monkey dragon master hunter super top some new old current confirm confirmed confirmation
	reset forgot change update create delete remove get set put post has can enable enabled disable disabled allow allowed required optional
	db database sql mysql postgres postgresql mongo mongodb redis rabbitmq kafka elastic elasticsearch aws azure gcp google github gitlab bitbucket docker kube kubernetes
	http https ssh ssl tls tcp udp url uri host hostname port path file files dir folder env var vars config configuration settings option options param params
	dev development prod production staging stage local localhost internal external global plain plaintext raw encoded decoded base utf ascii hex
	one two three four five first second last next previous begin start stop end min max length size count limit number index
	bool boolean int integer float double byte bytes char array list map object json xml yaml html css js
	code service system manager provider handler factory builder helper util utils module package plugin component element button
	content header headers body request response query result results status state event events action method function callback
	mode level policy role roles group groups scope scopes permission permissions grant email mail phone address city country date time timestamp
	org com net io www web site page link href src img image icon color style class div span
	process environ environment getenv args argv self context ctx ref refs prop props attr attribute attributes
	random generate generator verify verification valid validate validation check verified matches match
	windows linux mac ubuntu debian alpine node python ruby java golang rust php perl bash shell
	sha md aes rsa hmac pbkdf bcrypt scrypt argon pem cert certificate certificates ca
	store storage cache queue job jobs worker task tasks cron build deploy release version latest
	readonly readwrite read write execute run exec call send receive open close lock unlock
	only just also more less many few same other another every each both either
	secure insecure long short big small high low good bad best better easy hard simple complex strong weak strongpass pg gorm root toor postgraphile
	uuid guid nonce kwargs func struct impl async await const ptr cfg conf ctrl mgr svc sts btn txt usr tmp lib pkg cmd
	xyz zzz nats myname mypass mytoken mykey secretkey apikey clientid clientsecret accesskey accesstoken authtoken privatekey publickey`}

// publishedExamples are the first eight bytes of the SHA-256 of values that vendors print in their documentation: keys
// of Stripe, NuGet, Telegram and the AWS CLI, the browser keys in the public code of Google, Grafana and others, the accounts of Azure's emulators, the tokens of jwt.io, the headers and
// seeds of the RFCs.
var publishedExamples = [...]uint64{
	0x0011cc25eb432071,
	0x0b476bdf9acf2123,
	0x0b5dd075ccdd03c4,
	0x2037abcaffb2b777,
	0x27a9a42931dff7eb,
	0x2cafc0970149a84f,
	0x37f8f09bdf12c2f2,
	0x3a8b61d0f636b007,
	0x3f370c9dd8225c63,
	0x49f777db995e8260,
	0x4c98242dcadc8b29,
	0x78314b11be2e5815,
	0x7f75367e78812551,
	0x8731261cb72d8626,
	0x8be5d113c0871ce1,
	0xa0702bc91d699f60,
	0xa19f89ab3555eac1,
	0xa6c814bc555ae62c,
	0xaa6547439583c3a2,
	0xbdfeaef44475711c,
	0xcf4d418ed3de92d7,
	0xda816f9f2c16e6c5,
	0xdc0fcf046c61640c,
	0xe4a5542bb7fd7b67,
	0xea9bb1082cf95663,
	0xeb540d2b6ee2a0a4,
	0xf2d6ca16515033e5,
	0xf56e323494a6ffc2,
}
