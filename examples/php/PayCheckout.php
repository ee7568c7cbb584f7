<?php

declare(strict_types=1);

/** What the session server refused: its code (docs/error-codes.md) is the message's first word. */
final class PayCheckoutError extends RuntimeException
{
    public function __construct(public readonly int $status, public readonly string $errorCode, string $detail)
    {
        parent::__construct("$errorCode: $detail");
    }
}

/** The event was not signed by the session server, or not in the last five minutes. */
final class SignatureError extends RuntimeException
{
}

/**
 * Pay Checkout for a shop in PHP 8.1 or newer: put an order, verify an event. Needs no other file.
 *
 *     $pay = new PayCheckout('https://pay.example', getenv('PAY_CHECKOUT_API_KEY'), getenv('PAY_CHECKOUT_SIGNING_SECRET'));
 *     $token = $pay->putOrder('A1001', ['amount' => '9.99', 'currency' => 'GBP'])['orderToken'];
 *
 *     $event = $pay->verifyEvent(getallheaders(), file_get_contents('php://input')); // 401 when it throws
 *     $order = $pay->getOrder($event['data']['order']); // an event may be late: ask for the truth
 *     if ($order['state'] === 'paid' && $order['certain'] && $order['refund'] === 'none' && !$order['attention']
 *         && [$order['amount'], $order['currency']] === price_of($order['order'])) {
 *         mark_paid_once($order['order']); // then answer 204
 *     }
 */
final class PayCheckout
{
    private const TOLERANCE_SECONDS = 300;
    private const TIMEOUT_SECONDS = 10;
    private string $signingKey;

    public function __construct(
        private string $server,
        #[SensitiveParameter] private string $apiKey,
        #[SensitiveParameter] string $signingSecret,
    ) {
        $this->signingKey = (string) base64_decode(preg_replace('/^whsec_/', '', $signingSecret), true);
        if ($this->signingKey === '') {
            throw new InvalidArgumentException('signingSecret: expected whsec_ and base64');
        }
    }

    /** Keeps key and secret out of `var_dump`. */
    public function __debugInfo(): array
    {
        return ['server' => $this->server];
    }

    /** Prices an order; `orderToken` is for the tag, `payUrl` for e-mails. Amounts are decimal text. */
    public function putOrder(string $order, array $details): array
    {
        return $this->request('PUT', $order, $details);
    }

    /** The truth about an order: state, certain, amount, currency, refund, attention. */
    public function getOrder(string $order): array
    {
        return $this->request('GET', $order);
    }

    /**
     * The event in a request, by its headers and raw body.
     *
     * @throws SignatureError
     */
    public function verifyEvent(array $headers, string $body, ?int $now = null): array
    {
        $headers = array_change_key_case($headers);
        $id = $headers['webhook-id'] ?? '';
        $timestamp = $headers['webhook-timestamp'] ?? '';
        if ($id === '' || !ctype_digit($timestamp)) {
            throw new SignatureError('the request is not signed');
        }
        if (abs(($now ?? time()) - (int) $timestamp) > self::TOLERANCE_SECONDS) {
            throw new SignatureError('the signature is too old, or from the future');
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $this->signingKey, true));
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
            if (hash_equals($expected, $signature)) {
                return ['id' => $id] + json_decode($body, true, 512, JSON_THROW_ON_ERROR);
            }
        }
        throw new SignatureError('no signature fits the body');
    }

    private function request(string $method, string $order, ?array $body = null): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => ["Authorization: Bearer $this->apiKey", 'Content-Type: application/json'],
            'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
            'timeout' => self::TIMEOUT_SECONDS,
            'ignore_errors' => true,
            'follow_location' => 0, // the key must not follow a redirect
        ]]);
        $url = rtrim($this->server, '/') . '/v1/merchant/orders/' . rawurlencode($order);
        $stream = @fopen($url, 'r', false, $context);
        if ($stream === false) {
            throw new PayCheckoutError(0, 'no_answer', 'the session server does not answer');
        }
        $status = (int) (explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1] ?? 0);
        $answer = json_decode((string) stream_get_contents($stream), true) ?? [];
        if ($status < 200 || $status > 299) {
            throw new PayCheckoutError($status, $answer['code'] ?? 'http_error', $answer['detail'] ?? 'no problem JSON');
        }
        return $answer;
    }
}
